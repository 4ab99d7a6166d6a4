"""The phrasebook: sentences of its grammar word for word, and rules that every pair keeps."""

import hashlib
import os
import random
import re
import subprocess
import sys
from collections import Counter

import pytest

from gru_mt.data.corpus.phrasebook import lexicon, sentences
from gru_mt.data.corpus.phrasebook.grammar import (
    DIRECT,
    INDIRECT,
    NOTHING,
    SUBJECTS,
    Clause,
    NounPhrase,
    agree,
    both,
    couple,
    elide,
    english_plural,
    gap,
    imperative,
    infinitive,
    it,
    name,
    noun_phrase,
    of_gender,
    plural,
    predicate,
    profession,
    sentence,
    there_is,
    who,
)
from gru_mt.data.corpus.phrasebook.lexicon import (
    ADJECTIVES,
    ALSO,
    ALWAYS,
    NEVER,
    NO_LONGER,
    NOT,
    NOUNS,
    OFTEN,
    VERBS,
    Gender,
    Kind,
    Person,
    Tense,
    Text,
)

PAST, FUTURE = Tense.PAST, Tense.FUTURE
I_, YOU, HE, SHE, WE, THEY = SUBJECTS
ME, US, HER, THEM = DIRECT[0], DIRECT[4], DIRECT[3], DIRECT[5]
TO_HIM, TO_THEM = INDIRECT[2], INDIRECT[5]
PAUL, ANNE = name("Paul", Gender.MASCULINE), name("Anne", Gender.FEMININE)
MARIE = name("Marie", Gender.FEMININE)
BE, HAVE = VERBS["be"], VERBS["have"]
THIS = NounPhrase("this", "ce", Person.HE, Gender.MASCULINE)


def one(noun: str, determiner: str | NounPhrase = "the", adjective: str = "") -> NounPhrase:
    return noun_phrase(NOUNS[noun], determiner, adjective=ADJECTIVES.get(adjective))


def several(noun: str, determiner: str | NounPhrase = "the", adjective: str = "") -> NounPhrase:
    return noun_phrase(NOUNS[noun], determiner, is_plural=True, adjective=ADJECTIVES.get(adjective))


def no(noun: str, determiner: str, *, is_plural: bool = False) -> Text:
    return noun_phrase(NOUNS[noun], determiner, is_plural=is_plural, negated=True).text


def at(english: str, french: str, place: NounPhrase) -> Text:
    return both(Text(english, french), place.text)


def is_(subject: NounPhrase, adjective: str, tense: Tense = Tense.PRESENT) -> Clause:
    return Clause(subject, BE, tense, rest=predicate(ADJECTIVES[adjective], subject))


def told(clause: Clause) -> Text:
    return sentence(clause.statement, ".")


def asked(clause: Clause, english: str = "", french: str = "") -> Text:
    return sentence(both(Text(english, french), clause.question), "?")


AMIE = of_gender(NOUNS["friend"], Gender.FEMININE)
APPLES, WOMAN = several("apple"), one("woman")
BECAUSE = Text("because", "parce que")

BY_HAND = [
    # Persons and tenses of regular and irregular verbs, j'
    (
        told(Clause(I_, VERBS["eat"], rest=one("apple").text)),
        "I eat the apple.",
        "Je mange la pomme.",
    ),
    (
        told(Clause(WE, VERBS["eat"], rest=one("bread", "some").text)),
        "We eat some bread.",
        "Nous mangeons du pain.",
    ),
    (
        told(Clause(I_, VERBS["buy"], rest=several("egg", "some").text)),
        "I buy some eggs.",
        "J'achète des œufs.",
    ),
    (
        told(Clause(THEY, VERBS["drink"], PAST, rest=one("water", "some").text)),
        "They drank some water.",
        "Ils ont bu de l'eau.",
    ),
    (
        told(Clause(YOU, VERBS["see"], FUTURE, rest=one("hero").text)),
        "You will see the hero.",
        "Vous verrez le héros.",
    ),
    (
        told(Clause(HE, VERBS["call"], FUTURE, rest=ANNE.text)),
        "He will call Anne.",
        "Il appellera Anne.",
    ),
    (told(Clause(SHE, VERBS["swim"], PAST)), "She swam.", "Elle a nagé."),
    (told(is_(I_, "tired", PAST)), "I was tired.", "J'étais fatigué."),
    (
        told(Clause(WE, HAVE, PAST, rest=one("car", "a").text)),
        "We had a car.",
        "Nous avions une voiture.",
    ),
    # Auxiliary être: the participle agrees with its subject
    (
        told(Clause(SHE, VERBS["go"], PAST, rest=at("to", "à", one("market")))),
        "She went to the market.",
        "Elle est allée au marché.",
    ),
    (
        told(Clause(WE, VERBS["come"], PAST, rest=at("from", "de", one("school")))),
        "We came from the school.",
        "Nous sommes venus de l'école.",
    ),
    (
        told(Clause(couple(ANNE, MARIE), VERBS["arrive"], PAST)),
        "Anne and Marie arrived.",
        "Anne et Marie sont arrivées.",
    ),
    (
        told(Clause(couple(ANNE, PAUL), VERBS["leave"], PAST)),
        "Anne and Paul left.",
        "Anne et Paul sont partis.",
    ),
    # Negation and adverbs around the verb, n', "de" for an indefinite object
    (
        told(Clause(I_, HAVE, adverb=NOT, rest=no("car", "a"))),
        "I do not have a car.",
        "Je n'ai pas de voiture.",
    ),
    (
        told(Clause(HE, VERBS["drink"], adverb=NEVER, rest=no("water", "some"))),
        "He never drinks any water.",
        "Il ne boit jamais d'eau.",
    ),
    (
        told(Clause(THEY, VERBS["buy"], PAST, NOT, rest=no("orange", "some", is_plural=True))),
        "They did not buy any oranges.",
        "Ils n'ont pas acheté d'oranges.",
    ),
    (
        told(Clause(ANNE, VERBS["work"], adverb=NO_LONGER)),
        "Anne no longer works.",
        "Anne ne travaille plus.",
    ),
    (
        told(Clause(PAUL, VERBS["invite"], PAST, OFTEN, rest=MARIE.text)),
        "Paul often invited Marie.",
        "Paul a souvent invité Marie.",
    ),
    (
        told(Clause(THIS, BE, adverb=NOT, rest=one("plate", "my").text)),
        "This is not my plate.",
        "Ce n'est pas mon assiette.",
    ),
    # Object pronouns before the verb; the participle agrees with a direct one
    (told(Clause(I_, VERBS["see"], PAST, clitic=HER)), "I saw her.", "Je l'ai vue."),
    (
        told(Clause(SHE, VERBS["help"], PAST, NOT, US)),
        "She did not help us.",
        "Elle ne nous a pas aidés.",
    ),
    (
        told(Clause(HE, VERBS["listen to"], clitic=ME)),
        "He listens to me.",
        "Il m'écoute.",
    ),
    (
        told(Clause(I_, VERBS["answer"], PAST, clitic=TO_THEM)),
        "I answered them.",
        "Je leur ai répondu.",
    ),
    (
        told(Clause(YOU, VERBS["give"], FUTURE, clitic=TO_HIM, rest=several("key").text)),
        "You will give him the keys.",
        "Vous lui donnerez les clés.",
    ),
    (
        sentence(
            both(
                Clause(I_, VERBS["buy"], PAST, rest=APPLES.text).statement,
                Text("and", "et"),
                Clause(WE, VERBS["wash"], PAST, clitic=it(APPLES)).statement,
            ),
            ".",
        ),
        "I bought the apples and we washed them.",
        "J'ai acheté les pommes et nous les avons lavées.",
    ),
    (
        sentence(
            both(
                is_(one("apple"), "red").statement,
                Text("and", "et"),
                Clause(I_, VERBS["eat"], clitic=it(one("apple"))).statement,
            ),
            ".",
        ),
        "The apple is red and I eat it.",
        "La pomme est rouge et je la mange.",
    ),
    (
        told(
            Clause(
                HE,
                VERBS["want to"],
                adverb=NOT,
                rest=infinitive(VERBS["open"], it(one("door")), NOTHING),
            )
        ),
        "He does not want to open it.",
        "Il ne veut pas l'ouvrir.",
    ),
    (
        told(Clause(I_, VERBS["can"], adverb=NOT, rest=infinitive(VERBS["see"], THEM, NOTHING))),
        "I cannot see them.",
        "Je ne peux pas les voir.",
    ),
    # Questions, qu'
    (
        asked(Clause(YOU, VERBS["see"], rest=one("cat").text)),
        "Do you see the cat?",
        "Est-ce que vous voyez le chat ?",
    ),
    (
        asked(Clause(HE, VERBS["sleep"], adverb=ALWAYS)),
        "Does he always sleep?",
        "Est-ce qu'il dort toujours ?",
    ),
    (
        asked(Clause(ANNE, VERBS["go"], PAST, rest=at("to", "à", one("library"))), "when", "quand"),
        "When did Anne go to the library?",
        "Quand est-ce qu'Anne est allée à la bibliothèque ?",
    ),
    (
        asked(Clause(SHE, VERBS["love"], adverb=NOT, clitic=THEM), "why", "pourquoi"),
        "Why does she not love them?",
        "Pourquoi est-ce qu'elle ne les aime pas ?",
    ),
    (
        asked(
            Clause(YOU, VERBS["buy"], PAST, clitic=gap(APPLES)),
            "how many apples",
            "combien de pommes",
        ),
        "How many apples did you buy?",
        "Combien de pommes est-ce que vous avez achetées ?",
    ),
    # Determiners and adjectives before and after the noun
    (
        told(Clause(THIS, BE, rest=one("bird", "a", "beautiful").text)),
        "This is a beautiful bird.",
        "C'est un bel oiseau.",
    ),
    (
        told(Clause(I_, VERBS["know"], rest=one("man", "this", "old").text)),
        "I know this old man.",
        "Je connais ce vieil homme.",
    ),
    (
        told(Clause(ANNE, VERBS["love"], rest=one("child", "this").text)),
        "Anne loves this child.",
        "Anne aime cet enfant.",
    ),
    (
        told(Clause(PAUL, VERBS["sell"], rest=one("computer", "his", "new").text)),
        "Paul sells his new computer.",
        "Paul vend son nouvel ordinateur.",
    ),
    (
        told(Clause(SHE, VERBS["find"], FUTURE, rest=several("dress", "some", "beautiful").text)),
        "She will find some beautiful dresses.",
        "Elle trouvera de belles robes.",
    ),
    (
        told(Clause(HE, VERBS["wear"], rest=several("shirt", "two", "white").text)),
        "He wears two white shirts.",
        "Il porte deux chemises blanches.",
    ),
    (
        told(Clause(THIS, BE, rest=one("clock", "my", "old").text)),
        "This is my old clock.",
        "C'est ma vieille horloge.",
    ),
    (
        told(Clause(THIS, BE, rest=one("story", "her").text)),
        "This is her story.",
        "C'est son histoire.",
    ),
    (
        told(Clause(THEY, HAVE, rest=several("friend", "many").text)),
        "They have many friends.",
        "Ils ont beaucoup d'amis.",
    ),
    (
        told(Clause(WE, VERBS["see"], FUTURE, ALSO, rest=several("horse", "these", "old").text)),
        "We will also see these old horses.",
        "Nous verrons aussi ces vieux chevaux.",
    ),
    # Contractions: au, aux, du, des; d' before a name, none before an aspirated h
    (
        told(Clause(I_, VERBS["talk to"], rest=Text("the children", "à les enfants"))),
        "I talk to the children.",
        "Je parle aux enfants.",
    ),
    (
        told(Clause(one("cat"), BE, rest=at("next to", "à côté de", one("bridge")))),
        "The cat is next to the bridge.",
        "Le chat est à côté du pont.",
    ),
    (
        told(Clause(HE, VERBS["take"], PAST, rest=one("bag", several("boy")).text)),
        "He took the boys' bag.",
        "Il a pris le sac des garçons.",
    ),
    (
        told(is_(one("car", ANNE), "dirty")),
        "Anne's car is dirty.",
        "La voiture d'Anne est sale.",
    ),
    (
        told(Clause(SHE, VERBS["lose"], PAST, rest=one("axe", one("hero"), "heavy").text)),
        "She lost the hero's heavy axe.",
        "Elle a perdu la hache lourde du héros.",
    ),
    # Persons: professions without an article, nouns of both genders
    (
        told(Clause(ANNE, BE, rest=noun_phrase(AMIE, "my").text)),
        "Anne is my friend.",
        "Anne est mon amie.",
    ),
    (
        told(
            Clause(
                SHE,
                BE,
                FUTURE,
                rest=profession(of_gender(NOUNS["baker"], SHE.gender), is_plural=False).text,
            )
        ),
        "She will be a baker.",
        "Elle sera boulangère.",
    ),
    # Commands
    (
        sentence(imperative(VERBS["open"], None, one("door").text, negated=True), "!"),
        "Do not open the door!",
        "N'ouvrez pas la porte !",
    ),
    (
        sentence(imperative(VERBS["help"], ME, NOTHING, negated=False), "!"),
        "Help me!",
        "Aidez-moi !",
    ),
    (
        sentence(imperative(VERBS["lend"], TO_HIM, one("book").text, negated=False), "!"),
        "Lend him the book!",
        "Prêtez-lui le livre !",
    ),
    (
        sentence(imperative(VERBS["listen to"], HER, NOTHING, negated=True), "!"),
        "Do not listen to her!",
        "Ne l'écoutez pas !",
    ),
    # There is; relative, reported and joined clauses
    (
        sentence(there_is(one("mouse", "no"), Tense.PRESENT, negated=True), "."),
        "There is no mouse.",
        "Il n'y a pas de souris.",
    ),
    (
        sentence(there_is(several("tree", "three"), PAST, negated=False), "."),
        "There were three trees.",
        "Il y avait trois arbres.",
    ),
    (
        sentence(
            both(
                one("letter").text,
                Text("that", "que"),
                Clause(ANNE, VERBS["write"], PAST, clitic=gap(one("letter"))).statement,
            ),
            ".",
        ),
        "The letter that Anne wrote.",
        "La lettre qu'Anne a écrite.",
    ),
    (
        told(Clause(who(WOMAN), VERBS["fall"], PAST)),
        "The woman who fell.",
        "La femme qui est tombée.",
    ),
    (
        sentence(both(is_(I_, "happy").statement, BECAUSE, is_(HE, "polite").statement), "."),
        "I am happy because he is polite.",
        "Je suis heureux parce qu'il est poli.",
    ),
    (
        sentence(
            both(
                Clause(I_, VERBS["sing"], FUTURE).statement,
                Text("if", "si"),
                Clause(THEY, VERBS["dance"]).statement,
            ),
            ".",
        ),
        "I will sing if they dance.",
        "Je chanterai s'ils dansent.",
    ),
]


@pytest.mark.parametrize(
    ("said", "english", "french"), BY_HAND, ids=[english for _, english, _ in BY_HAND]
)
def test_the_grammar_says_what_a_french_speaker_would(
    said: Text, english: str, french: str
) -> None:
    assert said == (english, french)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("je ai", "j'ai"),
        ("de le hôpital", "de l'hôpital"),
        ("de le héros", "du héros"),
        ("à les hérissons", "aux hérissons"),
        ("la hache de la horloge", "la hache de l'horloge"),
        ("ne en", "n'en"),
        ("parce que Anne", "parce qu'Anne"),
        ("si il vient", "s'il vient"),
        ("si elle vient", "si elle vient"),
        ("est-ce que elle", "est-ce qu'elle"),
        ("Aidez-le aujourd'hui", "Aidez-le aujourd'hui"),
        ("le œuf", "l'œuf"),
    ],
)
def test_elision_and_contraction(written: str, said: str) -> None:
    assert elide(written) == said


@pytest.mark.parametrize(
    ("masculine", "feminine_form", "masculines", "feminines"),
    [
        ("grand", "grande", "grands", "grandes"),
        ("beau", "belle", "beaux", "belles"),
        ("gris", "grise", "gris", "grises"),
        ("heureux", "heureuse", "heureux", "heureuses"),
        ("cher", "chère", "chers", "chères"),
        ("frais", "fraîche", "frais", "fraîches"),
        ("rouge", "rouge", "rouges", "rouges"),
        ("bleu", "bleue", "bleus", "bleues"),
        ("pris", "prise", "pris", "prises"),
        ("ouvert", "ouverte", "ouverts", "ouvertes"),
    ],
)
def test_adjectives_and_participles_agree(
    masculine: str, feminine_form: str, masculines: str, feminines: str
) -> None:
    forms = [
        agree(masculine, gender, is_plural) for is_plural in (False, True) for gender in Gender
    ]
    assert forms == [masculine, feminine_form, masculines, feminines]


@pytest.mark.parametrize(
    ("english", "englishes", "french", "frenches"),
    [
        ("story", "stories", "histoire", "histoires"),
        ("boy", "boys", "garçon", "garçons"),
        ("box", "boxes", "boîte", "boîtes"),
        ("child", "children", "enfant", "enfants"),
        ("tomato", "tomatoes", "tomate", "tomates"),
        ("mouse", "mice", "souris", "souris"),
        ("horse", "horses", "cheval", "chevaux"),
        ("knife", "knives", "couteau", "couteaux"),
        ("church", "churches", "église", "églises"),
    ],
)
def test_nouns_have_their_plurals(english: str, englishes: str, french: str, frenches: str) -> None:
    assert (english_plural(english), plural(french)) == (englishes, frenches)
    assert NOUNS[english].french == french


CONJUGATIONS = """
be: suis est sommes êtes sont, étais, serai
have: ai a avons avez ont, avais, aurai
eat: mange mange mangeons mangez mangent, ai mangé, mangerai
drink: bois boit buvons buvez boivent, ai bu, boirai
see: vois voit voyons voyez voient, ai vu, verrai
know: connais connaît connaissons connaissez connaissent, connaissais, connaîtrai
buy: achète achète achetons achetez achètent, ai acheté, achèterai
sell: vends vend vendons vendez vendent, ai vendu, vendrai
lose: perds perd perdons perdez perdent, ai perdu, perdrai
read: lis lit lisons lisez lisent, ai lu, lirai
write: écris écrit écrivons écrivez écrivent, ai écrit, écrirai
open: ouvre ouvre ouvrons ouvrez ouvrent, ai ouvert, ouvrirai
take: prends prend prenons prenez prennent, ai pris, prendrai
wait for: attends attend attendons attendez attendent, ai attendu, attendrai
call: appelle appelle appelons appelez appellent, ai appelé, appellerai
send: envoie envoie envoyons envoyez envoient, ai envoyé, enverrai
answer: réponds répond répondons répondez répondent, ai répondu, répondrai
obey: obéis obéit obéissons obéissez obéissent, ai obéi, obéirai
go: vais va allons allez vont, suis allé, irai
come: viens vient venons venez viennent, suis venu, viendrai
come back: reviens revient revenons revenez reviennent, suis revenu, reviendrai
leave: pars part partons partez partent, suis parti, partirai
stay: reste reste restons restez restent, suis resté, resterai
sleep: dors dort dormons dormez dorment, ai dormi, dormirai
swim: nage nage nageons nagez nagent, ai nagé, nagerai
run: cours court courons courez courent, ai couru, courrai
can: peux peut pouvons pouvez peuvent, pouvais, pourrai
must: dois doit devons devez doivent, ai dû, devrai
want to: veux veut voulons voulez veulent, voulais, voudrai
know that: sais sait savons savez savent, savais, saurai
say that: dis dit disons dites disent, ai dit, dirai
love: aime aime aimons aimez aiment, aimais, aimerai
"""


@pytest.mark.parametrize("line", CONJUGATIONS.strip().splitlines())
def test_verbs_conjugate(line: str) -> None:
    key, forms = line.split(": ")
    present, past, future = forms.split(", ")
    verb = VERBS[key]
    persons = (I_, HE, WE, YOU, THEY)
    said = [Clause(subject, verb).statement.french.split()[1] for subject in persons]
    assert " ".join(said) == present
    assert Clause(I_, verb, PAST).statement.french == f"je {past}"
    assert Clause(I_, verb, FUTURE).statement.french == f"je {future}"


@pytest.mark.parametrize("tense", Tense)
def test_each_person_has_its_ending(tense: Tense) -> None:
    endings = {
        Tense.PRESENT: "je danse, vous dansez, il danse, elle danse, nous dansons, ils dansent",
        PAST: "je pouvais, vous pouviez, il pouvait, elle pouvait, nous pouvions, ils pouvaient",
        FUTURE: "je danserai, vous danserez, il dansera, elle dansera, nous danserons, "
        "ils danseront",
    }
    verb = VERBS["can" if tense is PAST else "dance"]
    said = [Clause(subject, verb, tense).statement.french for subject in SUBJECTS]
    assert ", ".join(said) == endings[tense]


# What the whole corpus must be


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, str]]:
    return sentences.generate()


def test_there_are_over_twenty_thousand_pairs_and_no_side_stands_twice(
    pairs: list[tuple[str, str]],
) -> None:
    assert len(pairs) >= 20_000
    assert len({english for english, _ in pairs}) == len(pairs)
    assert len({french for _, french in pairs}) == len(pairs)


def test_it_is_the_same_whatever_the_hash_seed(pairs: list[tuple[str, str]]) -> None:
    code = (
        "import hashlib; from gru_mt.data.corpus.phrasebook.sentences import generate;"
        "print(hashlib.sha256(repr(generate()).encode()).hexdigest())"
    )
    here = os.environ.get("PYTHONHASHSEED", "random")
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": "2" if here == "1" else "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == hashlib.sha256(repr(pairs).encode()).hexdigest()


def test_an_english_sentence_has_one_translation_however_much_is_drawn() -> None:
    rng = random.Random(7)  # not the corpus's own
    french_of: dict[str, str] = {}
    for _ in range(1_000):
        for pattern in sentences.PATTERNS:
            english, french = pattern(rng)
            assert french_of.setdefault(english, french) == french, english


def test_the_corpus_is_a_small_share_of_what_the_grammar_can_say(
    pairs: list[tuple[str, str]],
) -> None:
    """If the corpus nearly exhausted the grammar, few of the newly drawn sentences would be new."""
    known = {english for english, _ in pairs}
    rng = random.Random(7)
    drawn = [pattern(rng).english for pattern in sentences.PATTERNS for _ in range(100)]
    assert sum(english not in known for english in drawn) > 0.9 * len(drawn)


def test_sentences_have_three_to_fourteen_words(pairs: list[tuple[str, str]]) -> None:
    assert {len(english.split()) for english, _ in pairs} == set(range(3, 15))


VOWEL = "(?:[aeiouyàâéèêîôœ]|h(?!éros|érisson|ache))"
MASS = "|".join(noun.french for noun in NOUNS.values() if noun.kind in Kind.MASS)
BAD_FRENCH = {
    "missing elision": rf"(?<![\w'-])(?:je|me|le|la|de|ne|que|ce) {VOWEL}",
    "missing s'il": r"\bsi ils?\b",
    "elision before a consonant": r"[jlmdnsc]'[^aeiouyhàâéèêîôœ\W]|[jlmdnc]'h(?:éros|érisson|ache)",
    "missing contraction": r"\b(?:de|à) les? ",
    "doubled article": r"\b(?:de|du|des|d') (?:du|des|de)\b",
    "ma, sa or a masculine adjective before a vowel": (
        rf"\b(?:ma|sa|beau|vieux|nouveau) (?!aujourd|hier\b){VOWEL}\w+(?<![sx])\b"
    ),
    "des before an adjective": r"\bdes (?:beaux|belles|grand|petit|joli|vieux|vieilles|nouv|bon)",
    "spaces": r"  |^ | $|' | [.,]|[^ ][?!]",
    "marks": r"[^.?!]$",
    "capital": r"^[^A-ZÀ-Ý]",
    "negation without its ne": r"\b(?:je|ils?|elle) (?!n)\w+ (?:pas|jamais)\b",
    "du, de la or des under negation": (
        rf"\b(?:pas|jamais|plus) (?:des |(?:du |de la |de l')(?:{MASS})\b)"
    ),
}


@pytest.mark.parametrize("mistake", BAD_FRENCH)
def test_no_sentence_has(mistake: str, pairs: list[tuple[str, str]]) -> None:
    pattern = re.compile(BAD_FRENCH[mistake], re.IGNORECASE if mistake != "capital" else 0)
    assert [french for _, french in pairs if pattern.search(french)] == []


def spellings() -> dict[str, list[str]]:
    """Return the English forms of every word of the lexicon, by the word."""
    forms = {noun: [noun, english_plural(noun)] for noun in NOUNS}
    forms |= {word: [word] for word in [*ADJECTIVES, *lexicon.NAMES, *lexicon.DETERMINERS]}
    forms |= {adverb.english: [adverb.english] for adverb in (NOT, NEVER, NO_LONGER, OFTEN)}
    forms |= {adverb.english: [adverb.english] for adverb in (ALWAYS, ALSO)}
    times = [time for times in lexicon.TIMES.values() for time in times]
    for text in (*lexicon.CITIES, *times, *lexicon.SURFACES, *lexicon.NEARBY):
        forms[text.english] = [text.english]
    for key, verb in VERBS.items():
        english = (verb.english, verb.third, verb.past)
        forms[f"to {key}"] = [f"{form} {verb.particle}".strip() for form in english]
    return forms


def test_every_word_stands_in_at_least_fifty_sentences(pairs: list[tuple[str, str]]) -> None:
    def words(text: str) -> list[str]:
        return re.findall(r"\w+", text.lower())

    heard = Counter(
        tuple(said[start:end])
        for said in (words(english) for english, _ in pairs)
        for start in range(len(said))
        for end in range(start + 1, min(start + 4, len(said)) + 1)
    )
    counts = {
        word: sum(heard[form] for form in {tuple(words(form)) for form in forms})
        for word, forms in spellings().items()
    }
    assert {word: count for word, count in counts.items() if count < 50} == {}


def test_the_lexicon_has_some_two_hundred_words() -> None:
    assert 180 <= len(NOUNS) + len(ADJECTIVES) + len(VERBS) <= 240
