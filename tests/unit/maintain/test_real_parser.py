"""What is read off the source of an old vLLM's command line module, which cannot be imported
without half of vLLM.
"""

from translator.maintain.harvest.real_parser import _of_serve

SOURCE = """
class Serve:
    def subparser_init(self, subparsers):
        serve_parser = subparsers.add_parser("serve", help="Starts it.")
        serve_parser.add_argument("model_tag", type=str, nargs='?', help="a model")
        serve_parser.add_argument('--start-rank', '-dpr', type=int, default=0, help='a rank')
        serve_parser.add_argument("--headless", action='store_true', default=False)
        chat_parser.add_argument("--url", type=str)
        return make_arg_parser(serve_parser)
"""


def test_the_options_of_serve_itself_are_found() -> None:
    """With their types, and without those of other commands."""
    assert _of_serve(SOURCE) == [
        (["model_tag"], {"type": str, "nargs": "?"}),
        (["--start-rank", "-dpr"], {"type": int, "default": 0}),
        (["--headless"], {"action": "store_true", "default": False}),
    ]
    assert _of_serve("") == []
