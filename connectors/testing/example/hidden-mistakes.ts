/**
 * Mistakes that writing and reading back a value does not reveal. The reading repeats the mistake of the writing, or
 * the mistake appears only at certain times.
 */
import type { Contact } from '../../../src/core/contact.ts';
import type { FieldValue } from '../../../src/core/crm-field.ts';
import type {
  Connector,
  ContactChange,
  ContactPage,
  ContactsSettings,
  RecordLookup,
  WriteResult,
} from '../../contract.ts';
import type { OffsetPagesOptions } from '../../reading/offset-pages.ts';
import { collect } from '../readings.ts';
import { type Mistake, mapped, mistake } from './spoil.ts';

const FIVE_HOURS_MS = 5 * 3_600_000;
const INSTANT = /^\d{4}-\d\d-\d\dT.*Z$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

export const HIDDEN_MISTAKES: readonly Mistake[] = [
  mistake('loses the zone of a time in both directions', {
    breaks: 'keeps the instant of a time',
    connector: (right) => ({
      write: (changes) => right.write(mapped(changes, (value) => shifted(value, -FIVE_HOURS_MS))),
      readByIds: readingAs(right, (value) => shifted(value, FIVE_HOURS_MS)),
    }),
  }),
  mistake('takes a date for midnight where the server is', {
    breaks: 'keeps the day of a date on a server in Pacific/Kiritimati',
    connector: (right) => ({
      readByIds: readingAs(right, (value) => {
        if (typeof value !== 'string' || !DATE.test(value)) return value;
        return new Date(`${value}T00:00:00`).toISOString().slice(0, 10);
      }),
    }),
  }),
  mistake('reads a blank number as 0', {
    breaks: 'reads a blank field of any type as null',
    connector: (right) => ({
      readByIds: readingAs(right, (value, field) => (field === 'amount' ? (value ?? 0) : value)),
    }),
  }),
  mistake('reads no as blank', {
    breaks: 'tells no from yes',
    connector: (right) => ({ readByIds: readingAs(right, (value) => value || null) }),
  }),
  mistake('rounds numbers to cents', {
    breaks: 'keeps every digit that a number field can hold, and its sign',
    connector: (right) => ({
      write: (changes) =>
        right.write(
          mapped(changes, (value) =>
            typeof value === 'number' ? Number(value.toFixed(2)) : value,
          ),
        ),
    }),
  }),
  mistake('loses a cent where it counts in cents', {
    breaks: 'keeps every digit that a number field can hold, and its sign',
    connector: (right) => ({
      write: (changes) =>
        right.write(
          mapped(changes, (value, field) =>
            field === 'gift' ? Math.floor(Number(value) * 100) / 100 : value,
          ),
        ),
    }),
  }),
  mistake('cuts a text that is too long', {
    breaks: 'acknowledges a text only if all of it is in the CRM',
    connector: (right) => ({
      write: (changes) =>
        right.write(
          mapped(changes, (value) => (typeof value === 'string' ? value.slice(0, 250) : value)),
        ),
    }),
  }),
  mistake('leaves out options that the picklist does not have', {
    breaks: 'acknowledges options only if they are in the CRM',
    connector: (right) => ({
      write: (changes) =>
        right.write(
          mapped(changes, (value) =>
            typeof value === 'string' && value.includes(';')
              ? value
                  .split(';')
                  .filter((option) => !option.includes(' '))
                  .join(';')
              : value,
          ),
        ),
    }),
  }),
  mistake('reads options in the order in which they were typed', {
    breaks: 'reads several options in the order of the picklist',
    flaws: { keepsOrder: true },
  }),
  mistake('sends texts in an old encoding', {
    breaks: 'keeps letters of every script, and marks that are combined with them',
    connector: (right) => ({
      write: (changes) =>
        right.write(
          mapped(changes, (value) =>
            typeof value === 'string' ? value.replace(/[^\0-\xff]/g, '?') : value,
          ),
        ),
    }),
  }),
  mistake('takes the address of the CRM for its account', {
    breaks: 'is the same behind another address, because many clients may share one',
    connector: (_, { settings: { url } }) => ({ account: { id: new URL(url).host, name: 'CRM' } }),
  }),
  mistake('takes its key for the account', {
    breaks: 'contains no key, because it is stored and shown in the clear',
    connector: (_, { settings: { apiKey } }) => ({ account: { id: apiKey, name: 'CRM' } }),
  }),
  mistake('has another account with another key', {
    breaks: 'is the same with another key of the same organisation',
    connector: (_, { settings: { apiKey } }) => ({
      account: { id: `user ${apiKey.slice(-4)}`, name: 'CRM' },
    }),
  }),
  mistake('shares the fields of all accounts', {
    breaks: 'shares nothing with another account that the same process has open',
    connector: sharingFields(),
  }),
  mistake('shares the settings of all connectors', {
    breaks: 'is read with the settings of its own connector, also if two are open',
    options: sharingSettings(),
  }),
  mistake('ignores the CRM’s own mark of deceased people', {
    breaks: 'excludes a contact that the CRM marks (deceased), unless includeDeceased is set',
    connector: (right) => ({
      readPages: changing(right, ({ excluded: _, ...contact }) => contact),
    }),
  }),
  mistake('never sees that a mark was removed', {
    breaks: 'sees that a mark was removed',
    connector: rememberingMarks,
  }),
  mistake('tells of merges after other contacts', {
    breaks: 'tells of contacts that left before it brings others',
    connector: (right) => ({
      async *readPages(cursor) {
        const pages = await collect(right.readPages(cursor));
        yield* pages.filter(({ removed }) => removed.length === 0);
        yield* pages.filter(({ removed }) => removed.length > 0);
      },
    }),
  }),
  mistake('takes the newest edit that it read for its cursor', {
    breaks:
      'brings an early edit of its reading even if it meets a later one, at once or after its cursor',
    flaws: { takesNewestEdit: true },
  }),
  mistake('sends its cursor as local time', {
    breaks: 'brings what was edited or removed after its cursor on a server in Pacific/Kiritimati',
    connector: (right) => ({
      readPages: (cursor) => right.readPages(cursor === null ? null : toLocalTime(cursor)),
    }),
  }),
  mistake('takes a text that begins with an id for this id', {
    breaks: 'are not found by a text that only begins with an id',
    flaws: {
      canonicalId(text) {
        const id = Number.parseInt(text, 10);
        return id > 0 ? String(id) : null;
      },
    },
  }),
  mistake('fails at an empty page after a full one', {
    breaks: 'ends after its last page, also if that page is full',
    flaws: { readRows: readUntilShort },
  }),
  mistake('goes on where an earlier reading was left', {
    breaks: 'reads again after a reading that was left early',
    connector: keepingPosition,
  }),
  mistake('skips members that move up in a group', {
    breaks: 'misses no member of a group while others leave it',
    flaws: { readMembers: readMembersPlainly },
  }),
  mistake('asks only once whether the filter includes a contact', {
    breaks: 'says which contacts the filter includes now, if it can',
    connector: rememberingFilter,
  }),
  mistake('searches outside the filter', {
    breaks: 'searches only among the contacts that the filter includes, if it can search',
    connector: (right) => ({
      async search(text, most) {
        const found = await right.search?.(text, most);
        // Ignores the filter.
        return found?.length === 0 ? ['1', '2'] : (found ?? []);
      },
    }),
  }),
  mistake('answers once for an id that is asked for twice', {
    breaks: 'answers twice if it is asked twice for one id',
    connector: (right) => ({
      readByIds: (ids, fields) => right.readByIds([...new Set(ids)], fields),
    }),
  }),
  mistake('lets changes of one contact overtake each other', {
    breaks: 'lets the later of two changes of one contact win, however slow the earlier one is',
    flaws: { letsChangesRace: true },
  }),
  mistake('lets the earlier change of a call win', {
    breaks: 'lets the later of two changes of one contact win within one call, too',
    connector: (right) => ({
      async *write(changes) {
        const all: ContactChange[] = [];
        for await (const change of changes) all.unshift(change);
        yield* right.write(all);
      },
    }),
  }),
  mistake('forgets a typed value if a response is lost', {
    breaks: 'tells of a typed value that it replaced, even if the response is lost',
    flaws: { forgetsRequests: true },
  }),
  mistake('tells of a typed number in the form of the CRM', {
    breaks: 'names a number as the caller reads it, and not as the CRM stores it',
    connector: (right) => ({
      async *write(changes) {
        for await (const result of right.write(changes)) yield withStoredNumbers(result);
      },
    }),
  }),
  mistake('returns addresses in an order that means nothing', {
    breaks: 'have all addresses with the most significant one first',
    connector: (right) => ({
      readPages: changing(right, ({ addresses, ...contact }) => ({
        ...contact,
        addresses: addresses.toReversed(),
      })),
    }),
  }),
  mistake('returns the first employer only', {
    breaks: 'have all employers with the most significant one first',
    connector: (right) => ({
      readPages: changing(right, ({ employers, ...contact }) => ({
        ...contact,
        employers: employers.slice(0, 1),
      })),
    }),
  }),
  mistake('changes the objects of its caller', {
    breaks: 'changes nothing of what it is given',
    connector: (right) => ({
      async *write(changes) {
        for await (const change of changes) {
          Object.assign(change, { probe: true });
          yield* right.write([change]);
        }
      },
    }),
  }),
  mistake('acknowledges fields that do not exist', {
    breaks: 'acknowledges no value of a field that does not exist, and writes the others',
    connector: (right) => ({
      async *write(changes) {
        for await (const result of right.write(changes)) {
          yield result.status === 'written_in_part' ? { status: 'written', id: result.id } : result;
        }
      },
    }),
  }),
  mistake('does not wait if a limit names no time', {
    breaks: 'waits before it tries again, also if a limit does not say how long',
    options: ({ deps, ...options }) => ({
      ...options,
      deps: { ...deps, clock: { ...deps.clock, sleep: async () => {} } },
    }),
  }),
  mistake('keeps a failed answer', {
    breaks: 'works again after a failure',
    connector: keepingFailure,
  }),
];

function shifted(value: FieldValue, byMs: number): FieldValue {
  if (typeof value !== 'string' || !INSTANT.test(value)) return value;
  return new Date(Date.parse(value) + byMs).toISOString();
}

/**
 * Returns the time at which a UTC clock shows the same digits as this server's local clock shows at the cursor's time.
 */
function toLocalTime(cursor: string): string {
  const offsetMinutes = new Date(Number(cursor) * 1000).getTimezoneOffset();
  return String(Number(cursor) - offsetMinutes * 60);
}

/** Returns numbers in hundredths, as some CRMs store them. */
function withStoredNumbers(result: WriteResult): WriteResult {
  if (result.status !== 'written' || result.overwritten === undefined) return result;
  const values = Object.entries(result.overwritten.values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value * 100 : value,
  ]);
  return { ...result, overwritten: { ...result.overwritten, values: Object.fromEntries(values) } };
}

/** Returns a connector that returns wrong values when it reads contacts by ID. */
function readingAs(
  right: Connector,
  change: (value: FieldValue, field: string) => FieldValue,
): Connector['readByIds'] {
  return async (ids, fields) => {
    const lookups = await right.readByIds(ids, fields);
    return lookups.map((lookup): RecordLookup => {
      if (lookup.state !== 'found') return lookup;
      const values = Object.entries(lookup.values).map(([name, value]) => [
        name,
        change(value, name),
      ]);
      return { ...lookup, values: Object.fromEntries(values) };
    });
  };
}

function changing(right: Connector, change: (contact: Contact) => Contact): Connector['readPages'] {
  return async function* (cursor) {
    for await (const page of right.readPages(cursor)) {
      yield { ...page, contacts: page.contacts.map(change) };
    }
  };
}

function sharingFields() {
  const known = new Map<string, Awaited<ReturnType<Connector['describeFields']>>[number]>();
  return (right: Connector): Partial<Connector> => ({
    async describeFields() {
      for (const field of await right.describeFields()) known.set(field.name, field);
      return [...known.values()];
    },
  });
}

function sharingSettings() {
  let first: ContactsSettings | undefined;
  return <Options extends { contacts: ContactsSettings }>(options: Options): Options => {
    first ??= options.contacts;
    return { ...options, contacts: first };
  };
}

function rememberingMarks(right: Connector): Partial<Connector> {
  const marked = new Set<string>();
  const remember = (contact: Contact): Contact => {
    if (contact.optedOut) marked.add(contact.id);
    return { ...contact, optedOut: marked.has(contact.id) };
  };
  return {
    readPages: changing(right, remember),
    async readByIds(ids, fields) {
      const lookups = await right.readByIds(ids, fields);
      return lookups.map((lookup) =>
        lookup.state === 'found' ? { ...lookup, contact: remember(lookup.contact) } : lookup,
      );
    },
  };
}

function keepingPosition(right: Connector): Partial<Connector> {
  let reading: AsyncIterator<ContactPage> | undefined;
  return {
    async *readPages(cursor) {
      reading ??= right.readPages(cursor)[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await reading.next();
        if (done === true) break;
        yield value;
      }
      reading = undefined;
    },
  };
}

function rememberingFilter(right: Connector): Partial<Connector> {
  const answers = new Map<string, boolean>();
  return {
    async findIncluded(ids) {
      const unknown = ids.filter((id) => !answers.has(id));
      const included = (await right.findIncluded?.(unknown)) ?? new Set();
      for (const id of unknown) answers.set(id, included.has(id));
      return new Set(ids.filter((id) => answers.get(id)));
    },
  };
}

function keepingFailure(right: Connector): Partial<Connector> {
  let failure: unknown;
  return {
    async readByIds(ids, fields) {
      if (failure !== undefined) throw failure;
      return right.readByIds(ids, fields).catch((error: unknown) => {
        failure = error;
        throw error;
      });
    },
  };
}

/** Yields pages. Wrongly treats a page that is shorter than the others as the last page. */
async function* readUntilShort<Row>({
  read,
  take,
}: OffsetPagesOptions<Row>): AsyncGenerator<Row[]> {
  for (let offset = 0; ; offset += take) {
    const { rows } = await read(offset, take);
    if (rows.length === 0 && offset > 0) throw new Error('The page is empty.');
    yield [...rows];
    if (rows.length < take) return;
  }
}

async function* readMembersPlainly({
  read,
  take,
}: OffsetPagesOptions<string>): AsyncGenerator<string[]> {
  for (let offset = 0; ; offset += take) {
    const { rows } = await read(offset, take);
    if (rows.length === 0) return;
    yield [...rows];
  }
}
