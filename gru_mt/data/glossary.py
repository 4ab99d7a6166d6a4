class Glossary:
    pass
