/** Searches the rows of the input by name. */
import { isNamed, toNameWords } from '../reading/name-search.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { toContact } from './contact.ts';
import type { CsvSession } from './session.ts';

export async function search(session: CsvSession, text: string, most: number): Promise<string[]> {
  const words = toNameWords(text);
  if (words.length === 0) return [];
  return session.files.withTables(async ({ input }) => {
    const found: string[] = [];
    for await (const rows of input.rows()) {
      throwIfStopped(session.signal);
      for (const row of rows) {
        if (row.broken !== undefined || row.id === '') continue;
        if (isNamed(words, toContact(row, input, session))) found.push(row.id);
        if (found.length === most) return found;
      }
    }
    return found;
  });
}
