/**
 * Yields a CSV file while its rows are still being read. Nothing is sent before the first page is complete, so its
 * errors are still thrown.
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
