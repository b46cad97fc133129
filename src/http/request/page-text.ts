import type { html } from 'hono/html';
import { plainText } from '../../core/printable.ts';

/** A page as it goes out: names and texts in it may come from a CRM, and nothing in them acts. */
export async function pageText(page: ReturnType<typeof html>): Promise<string> {
  return plainText(String(await page));
}
