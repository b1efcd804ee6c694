"""What the tests without a browser ask of a page."""


def whole(page):
    """The page, checked to show neither an exception nor the apology for one."""
    assert not page.exception
    assert not [text.value for text in page.markdown if "Something went wrong" in text.value]
    return page


def metric(page, label):
    return next(m.value for m in page.metric if m.label.startswith(label))


def address_of(page):
    return {key: values[0] if isinstance(values, list) else values for key, values in page.query_params.items()}
