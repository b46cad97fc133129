/** The edges for words and short texts, such as IDs, cursors, ranges, addresses and keys. */
import { splitFullName } from '../../../connectors/csv/full-name.ts';
import { startReading } from '../../../connectors/hubspot/reading/cursor.ts';
import { canonicalId } from '../../../connectors/hubspot/record.ts';
import { contactId } from '../../../connectors/salesforce/ids.ts';
import { readCursor, writeCursor } from '../../../src/core/cursor.ts';
import { isConfigurationError } from '../../../src/core/errors.ts';
import { parseAddressRange } from '../../../src/core/host.ts';
import { silentLog } from '../../../src/core/log.ts';
import { guardFormula, plainCell, plainText, withoutGuard } from '../../../src/core/printable.ts';
import { parseDatabaseUrl } from '../../../src/database/database-url.ts';
import { parseKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { canonicalAddress } from '../../../src/identity/canonical-address.ts';
import { canonicalEmployer, canonicalName } from '../../../src/identity/canonical-name.ts';
import { parseMoneyRange } from '../../../src/mapping/money-range.ts';
import { toContactId } from '../../../src/sync/control/contact-id.ts';
import { type Edge, requireSame, requireThat } from './edge.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

export const idEdge: Edge = {
  name: 'ids of contacts',
  share: 130,
  examples: ['003D000000QOdrLIAT', '003d000000qodrliat', '003D000000QOdrL', '0012345', '51', ' 7 '],
  read({ bytes }) {
    const text = bytes.toString('utf8');
    for (const canonical of [contactId, canonicalId]) {
      const id = canonical(text);
      // Each contact has only one ID, so the canonical form must lead to the same contact.
      if (id !== null) requireSame('an id', id, canonical(id));
    }
    const id = toContactId((each) => each, 'riverside', text);
    requireSame('an id', text.trim(), id);
  },
};

export const cursorEdge: Edge = {
  name: 'cursors',
  share: 80,
  examples: [
    writeCursor([1_700_000_000_000, 'a-run']),
    '{"since":"2026-01-02T03:04:05.000Z","after":"51","rest":[["1","7"],["9",null]]}',
    '{"since":null,"until":"2026-01-02T03:04:05.000Z","listBy":"2026-02-02T03:04:05.000Z","walk":"list"}',
  ],
  read({ bytes }) {
    const text = bytes.toString('utf8');
    const session = {
      api: { serverTimeMs: () => 1 },
      clock: { now: () => 1 },
      log: silentLog,
      filter: [],
    };
    startReading(Object.assign(Object.create(null), session), text);
    const position = toPosition(text);
    if (position !== null) requireSame('a cursor', position, readCursor(writeCursor(position)));
  },
};

function toPosition(text: string) {
  try {
    return readCursor(text);
  } catch (error) {
    if (isConfigurationError(error) && error.code === 'cursor_invalid') return null;
    throw error;
  }
}

export const wordEdge: Edge = {
  name: 'ranges, hosts and keys',
  share: 80,
  examples: [
    ...['$1M - $5M', 'Over $10M', '$1-5M', '$500K', '10.0.0.0/8', '::1/128', '127.0.0.1'],
    ...['postgres://user:word@host:5432/name', 'sqlite:data/a.db', `2026:${KEY},${KEY}`, KEY],
  ],
  read({ bytes, isExample }) {
    const text = bytes.toString('utf8');
    const range = parseMoneyRange(text);
    if (range !== null)
      requireThat(!Object.values(range).some(Number.isNaN), 'a range without numbers');
    parseAddressRange(text);
    // Each function accepts only some of the examples, and refuses the others with its own error.
    for (const read of [parseDatabaseUrl, parseKeyRing]) refusable(() => read(text), isExample);
  },
};

function refusable(read: () => unknown, isExample: boolean): void {
  try {
    read();
  } catch (error) {
    if (!isExample || !(error instanceof Error && 'kind' in error)) throw error;
  }
}

export const personEdge: Edge = {
  name: 'names and addresses',
  share: 60,
  examples: [
    'Dr. Ada van der Marlowe Jr.',
    '12 Elm St., Apt 4, Springfield, IL 62701',
    'Riverside Works, Inc.',
    '@SUM(A1)',
  ],
  read({ bytes }) {
    const text = bytes.toString('utf8');
    for (const canonical of [canonicalName, canonicalEmployer, canonicalAddress]) canonical(text);
    splitFullName(text);
    plainText(text);
    plainCell(text);
    requireSame('a guarded text', text, withoutGuard(guardFormula(text)));
  },
};
