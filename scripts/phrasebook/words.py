"""The nouns, adjectives and determiners of the phrasebook in English and French."""

from enum import Enum, Flag, IntEnum, auto
from functools import partial
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
