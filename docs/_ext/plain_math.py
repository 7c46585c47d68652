"""A formula that is written as mathematics after all is shown as its source: no script is fetched to draw it."""

from docutils import nodes


def setup(app):
    app.add_html_math_renderer("plain", inline_renderers=(_inline, None), block_renderers=(_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator, node):
    translator.body.append(f"<code>{translator.encode(node.astext())}</code>")
    raise nodes.SkipNode


def _block(translator, node):
    translator.body.append(f"<pre>{translator.encode(node.astext())}</pre>")
    raise nodes.SkipNode
