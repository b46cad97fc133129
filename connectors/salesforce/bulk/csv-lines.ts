import type { FieldValue } from '../../../src/core/crm-field.ts';
import type { ContactChange } from '../../contract.ts';
import { contactIdOrText } from '../ids.ts';

/** What clears a field in a Bulk API upload; an empty cell leaves it as it is. */
export const CLEARING_CELL = '#N/A';

/** Characters of text that make one chunk of an upload. */
const CHUNK_LENGTH = 128 * 1024;

/** The changes as CSV with a column for each of `fields`, in chunks made when they are taken. */
export async function* changesAsCsv(
  changes: Iterable<ContactChange>,
  fields: readonly string[],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = `Id,${fields.join(',')}\n`;
  for (const { id, values } of changes) {
    text += contactIdOrText(id);
    for (const field of fields) text += `,${cell(values[field])}`;
    text += '\n';
    if (text.length < CHUNK_LENGTH) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

/** A value as a cell; a field that the change does not name stays as it is. */
function cell(value: FieldValue | undefined): string {
  if (value === undefined) return '';
  if (value === null) return CLEARING_CELL;
  if (typeof value !== 'string') return String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
