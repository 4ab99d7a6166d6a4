def cut(text: str, language: str) -> list[str]:
    from sentencex import segment

    return list(segment("en", text))
