"""The words of the phrasebook in English and French, and which of them go together.

`grammar` has the rules for a noun's plural, an adjective's forms and a regular verb's. The table of
verbs holds the forms that follow no rule.
"""

from enum import Enum, Flag, IntEnum, auto
from functools import partial, reduce
from operator import or_
from typing import NamedTuple


class Gender(IntEnum):
    MASCULINE = 0
    FEMININE = 1


class Person(IntEnum):
    """Grammatical person, as the index of a verb's form; "you" is always "vous", never "tu"."""

    I = 0  # noqa: E741 - the pronoun
    HE = 1
    WE = 2
    YOU = 3
    THEY = 4


class Tense(Enum):
    PRESENT = auto()
    PAST = auto()
    FUTURE = auto()


class Kind(Flag):
    """What a noun means. Verbs choose nouns by it, so that people eat food and read books."""

    ADULT = auto()
    CHILD = auto()
    PROFESSION = auto()
    PEER = auto()  # a friend, a neighbor
    KIN = auto()
    PARENT = auto()
    ANIMAL = auto()
    FRUIT = auto()  # food that one counts
    FOOD = auto()  # food that one does not count
    DRINK = auto()
    TEXT = auto()
    CLOTHES = auto()
    OBJECT = auto()
    FRAGILE = auto()
    CONTAINER = auto()
    OPENING = auto()
    VEHICLE = auto()
    FURNITURE = auto()
    LANDMARK = auto()
    VENUE = auto()  # one is "at" it, "à"
    AREA = auto()  # one is "in" it, "dans"

    RELATIVE = KIN | PARENT
    GROWN = ADULT | PROFESSION | PEER
    HUMAN = GROWN | CHILD
    MASS = FOOD | DRINK
    PORTABLE = TEXT | CLOTHES | OBJECT | FRAGILE | CONTAINER
    COLORED = CLOTHES | OBJECT | FRAGILE | CONTAINER | OPENING | VEHICLE | FURNITURE
    SITE = VENUE | AREA | LANDMARK


class Noun(NamedTuple):
    english: str
    french: str
    gender: Gender
    kind: Kind


class Adjective(NamedTuple):
    english: str
    french: str
    kinds: Kind  # of nouns that it goes with
    before: bool = False  # its place in French: before the noun, or after it


class Trait(Flag):
    """What a verb does differently from others."""

    NONE = 0
    ETRE = auto()  # its compound past takes être
    STATE = auto()  # its past is a French imperfect
    ANIMAL = auto()  # an animal can do it
    NO_PAST = auto()  # it has no past, or one that looks like the present: "I read"
    NO_FUTURE = auto()


class Verb(NamedTuple):
    english: str
    third: str
    past: str
    particle: str  # "for" in "look for"
    infinitive: str
    present: tuple[str, ...]  # by Person
    participle: str
    future: str  # stem
    traits: Trait

    @property
    def key(self) -> str:
        return f"{self.english} {self.particle}".strip()

    def has(self, tense: Tense) -> bool:
        missing = {Tense.PAST: Trait.NO_PAST, Tense.FUTURE: Trait.NO_FUTURE}
        return not self.traits & missing.get(tense, Trait.NONE)


class Adverb(NamedTuple):
    """A word in the slot of "not": after the English auxiliary, after the French finite verb."""

    english: str
    french: str
    negative: bool = False


class Text(NamedTuple):
    english: str
    french: str


def _nouns(kind: Kind, gender: Gender, **french: str) -> list[Noun]:
    return [Noun(english, word, gender, kind) for english, word in french.items()]


M, F = Gender.MASCULINE, Gender.FEMININE
NOUNS = {
    noun.english: noun
    for noun in (
        *_nouns(Kind.ADULT, M, man="homme", king="roi", hero="héros"),
        *_nouns(Kind.ADULT, F, woman="femme", queen="reine"),
        *_nouns(Kind.CHILD, M, boy="garçon", child="enfant"),
        *_nouns(Kind.CHILD, F, girl="fille"),
        *_nouns(Kind.PROFESSION, M, teacher="professeur", dentist="dentiste", baker="boulanger"),
        *_nouns(Kind.PROFESSION, M, farmer="fermier", student="étudiant", singer="chanteur"),
        *_nouns(Kind.PEER, M, friend="ami", neighbor="voisin"),
        *_nouns(Kind.KIN, M, brother="frère", uncle="oncle", son="fils"),
        *_nouns(Kind.KIN, F, sister="sœur", aunt="tante"),
        *_nouns(Kind.PARENT, M, father="père"),
        *_nouns(Kind.PARENT, F, mother="mère"),
        *_nouns(Kind.ANIMAL, M, cat="chat", dog="chien", horse="cheval", bird="oiseau"),
        *_nouns(Kind.ANIMAL, M, hedgehog="hérisson"),
        *_nouns(Kind.ANIMAL, F, cow="vache", mouse="souris"),
        *_nouns(Kind.FRUIT, M, egg="œuf", cake="gâteau"),
        *_nouns(Kind.FRUIT, F, apple="pomme", orange="orange", tomato="tomate"),
        *_nouns(Kind.FOOD, M, bread="pain", cheese="fromage", rice="riz"),
        *_nouns(Kind.FOOD, F, meat="viande", soup="soupe"),
        *_nouns(Kind.DRINK, M, milk="lait", coffee="café", tea="thé", wine="vin"),
        *_nouns(Kind.DRINK, F, water="eau"),
        *_nouns(Kind.TEXT, M, book="livre", poem="poème"),
        *_nouns(Kind.TEXT, F, letter="lettre", story="histoire"),
        *_nouns(Kind.CLOTHES, M, hat="chapeau", coat="manteau"),
        *_nouns(Kind.CLOTHES, F, dress="robe", shirt="chemise", jacket="veste"),
        *_nouns(Kind.OBJECT, M, pen="stylo", umbrella="parapluie", knife="couteau", gift="cadeau"),
        *_nouns(Kind.OBJECT, M, tool="outil"),
        *_nouns(Kind.OBJECT, F, key="clé", axe="hache", flower="fleur"),
        *_nouns(Kind.FRAGILE, M, glass="verre", toy="jouet", phone="téléphone"),
        *_nouns(Kind.FRAGILE, M, computer="ordinateur"),
        *_nouns(Kind.FRAGILE, F, plate="assiette", lamp="lampe", clock="horloge", watch="montre"),
        *_nouns(Kind.CONTAINER, M, bag="sac"),
        *_nouns(Kind.CONTAINER, F, box="boîte", suitcase="valise"),
        *_nouns(Kind.OPENING, F, door="porte", window="fenêtre"),
        *_nouns(Kind.VEHICLE, M, boat="bateau", bicycle="vélo"),
        *_nouns(Kind.VEHICLE, F, car="voiture"),
        *_nouns(Kind.FURNITURE, M, bed="lit"),
        *_nouns(Kind.FURNITURE, F, table="table", chair="chaise"),
        *_nouns(Kind.LANDMARK, M, tree="arbre", bridge="pont"),
        *_nouns(Kind.LANDMARK, F, river="rivière"),
        *_nouns(Kind.VENUE, M, market="marché", hospital="hôpital", hotel="hôtel", museum="musée"),
        *_nouns(Kind.VENUE, M, restaurant="restaurant", office="bureau"),
        *_nouns(Kind.VENUE, F, school="école", station="gare", church="église", beach="plage"),
        *_nouns(Kind.VENUE, F, library="bibliothèque", farm="ferme"),
        *_nouns(Kind.AREA, M, garden="jardin", park="parc", village="village"),
        *_nouns(Kind.AREA, F, house="maison", kitchen="cuisine", street="rue", forest="forêt"),
    )
}
NAMES = {"Paul": M, "Antoine": M, "Martin": M, "Anne": F, "Marie": F, "Alice": F}
CITIES = (Text("Paris", "Paris"), Text("London", "Londres"), Text("Athens", "Athènes"))

DETERMINERS = {  # masculine, feminine, plural
    "the": ("le", "la", "les"),
    "a": ("un", "une", ""),
    "some": ("de le", "de la", "des"),
    "this": ("ce", "cette", ""),
    "these": ("", "", "ces"),
    "my": ("mon", "ma", "mes"),
    "your": ("votre", "votre", "vos"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
    "no": ("de", "de", "de"),
    "two": ("", "", "deux"),
    "three": ("", "", "trois"),
    "many": ("", "", "beaucoup de"),
}

_before = partial(Adjective, before=True)
_ADJECTIVES = (
    _before("big", "grand", Kind.ANIMAL | Kind.SITE | Kind.CONTAINER | Kind.FURNITURE),
    _before("small", "petit", Kind.ANIMAL | Kind.SITE | Kind.CHILD | Kind.COLORED),
    _before("beautiful", "beau", Kind.ANIMAL | Kind.SITE | Kind.TEXT | Kind.CLOTHES),
    _before("pretty", "joli", Kind.CLOTHES | Kind.OBJECT | Kind.FRAGILE | Kind.AREA),
    _before("old", "vieux", Kind.GROWN | Kind.ANIMAL | Kind.COLORED | Kind.SITE),
    _before("young", "jeune", Kind.HUMAN | Kind.ANIMAL),
    _before("new", "nouveau", Kind.PROFESSION | Kind.PEER | Kind.PORTABLE | Kind.VENUE),
    _before("good", "bon", Kind.PROFESSION | Kind.TEXT | Kind.FRUIT | Kind.MASS),
    _before("bad", "mauvais", Kind.PROFESSION | Kind.TEXT),
    Adjective("red", "rouge", Kind.COLORED | Kind.FRUIT),
    Adjective("blue", "bleu", Kind.COLORED),
    Adjective("green", "vert", Kind.COLORED),
    Adjective("black", "noir", Kind.COLORED | Kind.ANIMAL),
    Adjective("white", "blanc", Kind.COLORED | Kind.ANIMAL),
    Adjective("gray", "gris", Kind.COLORED | Kind.ANIMAL),
    Adjective("interesting", "intéressant", Kind.TEXT | Kind.VENUE),
    Adjective("famous", "célèbre", Kind.GROWN | Kind.TEXT | Kind.VENUE),
    Adjective("intelligent", "intelligent", Kind.HUMAN | Kind.ANIMAL),
    Adjective("polite", "poli", Kind.HUMAN),
    Adjective("happy", "heureux", Kind.HUMAN | Kind.ANIMAL),
    Adjective("sad", "triste", Kind.HUMAN | Kind.TEXT),
    Adjective("tired", "fatigué", Kind.HUMAN | Kind.ANIMAL),
    Adjective("sick", "malade", Kind.HUMAN | Kind.ANIMAL),
    Adjective("rich", "riche", Kind.GROWN),
    Adjective("dangerous", "dangereux", Kind.ANIMAL | Kind.LANDMARK),
    Adjective("expensive", "cher", Kind.PORTABLE | Kind.VEHICLE),
    Adjective("dirty", "sale", Kind.CLOTHES | Kind.FRAGILE | Kind.VEHICLE | Kind.SITE),
    Adjective("heavy", "lourd", Kind.CONTAINER | Kind.FURNITURE),
    Adjective("empty", "vide", Kind.CONTAINER | Kind.VENUE),
    Adjective("hot", "chaud", Kind.MASS),
    Adjective("cold", "froid", Kind.MASS),
    Adjective("fresh", "frais", Kind.FRUIT | Kind.FOOD),
    Adjective("delicious", "délicieux", Kind.FRUIT | Kind.MASS),
)
ADJECTIVES = {adjective.english: adjective for adjective in _ADJECTIVES}


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
