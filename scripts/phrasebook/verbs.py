"""The verbs and adverbs of the phrasebook, and which nouns and adverbials go with them.

The table of verbs holds the forms that follow no rule; `grammar` has the rules.
"""

from functools import reduce
from operator import or_

from phrasebook.words import Adverb, Kind, Tense, Text, Trait, Verb

# English base, third person, past (and particle) | French infinitive, then, unless it is regular
# in -er, the present by person, the participle and an irregular future's stem | traits
_VERBS = """
be is was | être suis est sommes êtes sont été ser | state
have has had | avoir ai a avons avez ont eu aur | state
eat eats ate | manger | animal
drink drinks drank | boire bois boit buvons buvez boivent bu | animal
see sees saw | voir vois voit voyons voyez voient vu verr | animal
look looks looked at | regarder | animal
look looks looked for | chercher |
love loves loved | aimer | state
know knows knew | connaître connais connaît connaissons connaissez connaissent connu | state
buy buys bought | acheter achète achète achetons achetez achètent acheté achèter |
sell sells sold | vendre vends vend vendons vendez vendent vendu |
find finds found | trouver |
lose loses lost | perdre perds perd perdons perdez perdent perdu |
read reads read | lire lis lit lisons lisez lisent lu | no_past
write writes wrote | écrire écris écrit écrivons écrivez écrivent écrit |
open opens opened | ouvrir ouvre ouvre ouvrons ouvrez ouvrent ouvert |
close closes closed | fermer |
wash washes washed | laver |
wear wears wore | porter |
take takes took | prendre prends prend prenons prenez prennent pris |
break breaks broke | casser |
visit visits visited | visiter |
help helps helped | aider |
invite invites invited | inviter |
meet meets met | rencontrer |
listen listens listened to | écouter |
wait waits waited for | attendre attends attend attendons attendez attendent attendu |
call calls called | appeler appelle appelle appelons appelez appellent appelé appeller |
give gives gave | donner |
show shows showed | montrer |
send sends sent | envoyer envoie envoie envoyons envoyez envoient envoyé enverr |
bring brings brought | apporter |
lend lends lent | prêter |
talk talks talked to | parler |
answer answers answered | répondre réponds répond répondons répondez répondent répondu |
obey obeys obeyed | obéir obéis obéit obéissons obéissez obéissent obéi |
go goes went | aller vais va allons allez vont allé ir | etre
return returns returned | retourner | etre
come comes came | venir viens vient venons venez viennent venu viendr | etre
come comes came back | revenir reviens revient revenons revenez reviennent revenu reviendr | etre
stay stays stayed | rester | etre
arrive arrives arrived | arriver | etre
leave leaves left | partir pars part partons partez partent parti | etre
fall falls fell | tomber | etre animal
work works worked | travailler |
sleep sleeps slept | dormir dors dort dormons dormez dorment dormi | animal
sing sings sang | chanter |
dance dances danced | danser |
play plays played | jouer | animal
swim swims swam | nager | animal
run runs ran | courir cours court courons courez courent couru courr | animal
cry cries cried | pleurer |
can can could | pouvoir peux peut pouvons pouvez peuvent pu pourr | state no_future
must must must | devoir dois doit devons devez doivent dû devr | no_past no_future
want wants wanted to | vouloir veux veut voulons voulez veulent voulu voudr | state
love loves loved to | aimer | state
think thinks thought that | penser | state
know knows knew that | savoir sais sait savons savez savent su saur | state
say says said that | dire dis dit disons dites disent dit |
"""


def _verb(line: str) -> Verb:
    english, french, marks = (column.split() for column in line.split("|"))
    base, third, past, *particle = english
    infinitive, *forms = french
    if not forms:
        stem = infinitive.removesuffix("er")
        we = "eons" if stem.endswith("g") else "ons"  # nous mangeons
        forms = [stem + ending for ending in ("e", "e", we, "ez", "ent", "é")]
    return Verb(
        english=base,
        third=third,
        past=past,
        particle="".join(particle),
        infinitive=infinitive,
        present=tuple(forms[:5]),
        participle=forms[5],
        future=forms[6] if len(forms) > 6 else infinitive.removesuffix("e"),
        traits=reduce(or_, (Trait[mark.upper()] for mark in marks), Trait.NONE),
    )


VERBS = {verb.key: verb for verb in map(_verb, _VERBS.strip().splitlines())}
_ANYONE = Kind.HUMAN | Kind.RELATIVE
_CREATURE = _ANYONE | Kind.ANIMAL
_GROCERIES = Kind.FRUIT | Kind.MASS
_ITEM = Kind.PORTABLE | Kind.VEHICLE
TRANSITIVE = {  # the kinds of its direct object
    "have": _ITEM | Kind.ANIMAL,
    "eat": Kind.FRUIT | Kind.FOOD,
    "drink": Kind.DRINK,
    "see": _CREATURE | Kind.SITE | Kind.VEHICLE,
    "look at": _CREATURE | Kind.SITE,
    "look for": _CREATURE | Kind.PORTABLE | Kind.VENUE,
    "love": _CREATURE | _GROCERIES,
    "know": _ANYONE | Kind.VENUE,
    "buy": _ITEM | _GROCERIES,
    "sell": _ITEM | _GROCERIES,
    "find": _ITEM | Kind.ANIMAL,
    "lose": Kind.PORTABLE,
    "read": Kind.TEXT,
    "write": Kind.TEXT,
    "open": Kind.OPENING | Kind.CONTAINER,
    "close": Kind.OPENING | Kind.CONTAINER,
    "wash": Kind.CLOTHES | Kind.FRUIT | Kind.VEHICLE,
    "wear": Kind.CLOTHES,
    "take": Kind.PORTABLE,
    "break": Kind.FRAGILE,
    "visit": Kind.VENUE,
    "help": _ANYONE,
    "invite": _ANYONE,
    "meet": _ANYONE,
    "listen to": _ANYONE,
    "wait for": _ANYONE,
    "call": _ANYONE,
}
LIKING = ("love", "know")  # those whose object is definite: "aimer le pain"
GIVING = {  # the kinds of what one gives to someone
    "give": Kind.PORTABLE | Kind.FRUIT,
    "show": _ITEM | Kind.ANIMAL,
    "send": Kind.PORTABLE,
    "bring": Kind.PORTABLE | _GROCERIES,
    "lend": _ITEM,
}
ADDRESSING = ("talk to", "answer", "obey")  # "à" someone, whatever English does
GOING = ("go", "return")  # "à" a place
COMING = ("come", "come back")  # "de" a place
STAYING = ("be", "stay", "work", "sleep", "sing", "dance", "play", "run")  # in a place
ACTING = (*STAYING[2:], "swim", "cry", "arrive", "leave", "fall")
MODAL = ("can", "must", "want to", "love to")  # before an infinitive
SAYING = ("think that", "know that", "say that")  # before a clause
COMMANDS = (
    *("eat", "drink", "look at", "look for", "buy", "sell", "read", "write", "open", "close"),
    *("wash", "wear", "take", "visit", "help", "invite", "listen to", "wait for", "call"),
)
NOT = Adverb("not", "pas", negative=True)
NEVER = Adverb("never", "jamais", negative=True)
NO_LONGER = Adverb("no longer", "plus", negative=True)
OFTEN = Adverb("often", "souvent")
ALWAYS = Adverb("always", "toujours")
ALSO = Adverb("also", "aussi")
TIMES = {
    Tense.PRESENT: (Text("today", "aujourd'hui"), Text("every day", "tous les jours")),
    Tense.PAST: (
        Text("yesterday", "hier"),
        Text("this morning", "ce matin"),
        Text("last week", "la semaine dernière"),
    ),
    Tense.FUTURE: (
        Text("tomorrow", "demain"),
        Text("tonight", "ce soir"),
        Text("next week", "la semaine prochaine"),
    ),
}
SURFACES = (Text("on", "sur"), Text("under", "sous"))
NEARBY = (
    Text("behind", "derrière"),
    Text("in front of", "devant"),
    Text("next to", "à côté de"),
    Text("near", "près de"),
    Text("far from", "loin de"),
)
