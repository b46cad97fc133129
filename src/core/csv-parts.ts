/**
 * Yields the parts of a CSV file while its rows are being read. Yields nothing before the first page is complete, so
 * that errors in the first page can still be thrown.
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
