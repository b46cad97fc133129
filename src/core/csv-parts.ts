/**
 * Yields the parts of a CSV file that is written while it is read. The header is sent together with the first page, so
 * an error in that page is thrown before anything is sent.
 */
export async function* toCsvParts<Page>(
  header: string,
  pages: AsyncIterable<Page> | Iterable<Page>,
  toLines: (page: Page) => string,
): AsyncGenerator<string> {
  let before = header;
  for await (const page of pages) {
    yield before + toLines(page);
    before = '';
  }
  if (before !== '') yield before;
}
