"""Write the pages on clients in situations.

python -m tools.client_situations
"""

from tools.client_situations.page import PAGE, with_tables
from tools.client_situations.web_page import WEB_PAGE, web_page


def main() -> None:
    """Write both pages."""
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
    WEB_PAGE.write_text(web_page(), "utf-8")


if __name__ == "__main__":
    main()
