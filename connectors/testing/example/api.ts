/**
 * The API of a small CRM for the example connector. The API reads contacts in pages or by ID, changes single contacts,
 * and has fields and groups. The API stores its data in memory. As in many CRMs, times are in whole seconds.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { isNamed } from '../../reading/name-search.ts';
import type { SeedContact } from '../harness.ts';

/** A contact in the form in which the API returns it. */
export interface ExampleRecord {
  id: string;
  firstName: string | null;
  lastName: string | null;
  addresses: readonly string[];
  employers: readonly string[];
  deceased: boolean;
  doNotContact: boolean;
  changedAt: number;
  fields: Record<string, string>;
}

export interface ExampleField {
  name: string;
  label: string;
  type: 'text' | 'number' | 'currency' | 'boolean' | 'date' | 'datetime' | 'multiPicklist';
  /** The maximum number of characters in a text, or null for other types. */
  maxLength: number | null;
  /** The number of digits after the decimal point, or null if the number is not limited. */
  decimalDigits: number | null;
  options: readonly string[];
}

/** The simulated CRM, with functions that act like its users and administrators. */
export interface ExampleApi {
  url: string;
  key: string;
  /** A different valid key of the same account. */
  otherKey: string;
  add(contact: SeedContact): string;
  edit(id: string, changes: Partial<Omit<ExampleRecord, 'id'>>): void;
  setField(id: string, field: string, value: string | null): void;
  seenField(id: string, field: string): string | null;
  delete(id: string): void;
  /** Merges the loser into the winner. The API then removes the loser and redirects its ID to the winner. */
  merge(loser: string, winner: string): void;
  /** Makes the contact invisible to the key. */
  hide(id: string): void;
  addGroup(members: readonly string[], name?: string): string;
  leaveGroup(name: string, members: readonly string[]): void;
  /** A webhook call about an event with these records. */
  callOf(event: string, contacts: readonly string[], reason?: string): string;
  /**
   * From now on, the API refuses values in this field of the contact. If the field is null, the API refuses every
   * change to the contact.
   */
  refuse(id: string, field: string | null): void;
  /** The API refuses the next changes to the contact, because a different user is changing it. */
  lock(id: string, times: number): void;
  close(): Promise<void>;
}

interface ExampleRemoval {
  id: string;
  mergedInto: string | null;
  at: number;
}

interface Answer {
  status: number;
  body: unknown;
}

/** Starts the API on a free port. Each API has its own account and its own key. */
export async function startExampleApi(): Promise<ExampleApi> {
  const account = { id: randomUUID(), name: 'Riverside' };
  const [key, otherKey] = [1, 2].map(() => `example-key-${randomUUID()}`);
  if (key === undefined || otherKey === undefined) throw new Error('There are no keys.');
  const records = new Map<string, ExampleRecord>();
  const removed: ExampleRemoval[] = [];
  const answers = new Map<string, Answer>();
  const groups: { id: string; name: string; members: readonly string[] }[] = [];
  const refusals = new Set<string>();
  const locks = new Map<string, number>();
  const hidden = new Set<string>();
  const isVisible = ({ id }: { id: string }) => !hidden.has(id);
  const fields: ExampleField[] = [
    aField('note', 'text'),
    aField('remark', 'text'),
    aField('amount', 'number'),
    { ...aField('gift', 'currency'), decimalDigits: 2 },
    aField('active', 'boolean'),
    aField('born', 'date'),
    aField('met', 'datetime'),
    aField('topics', 'multiPicklist', ['arts', 'health', 'youth']),
  ];
  let lastId = 0;
  // About half of the daily requests are used. A connector that swaps the used and the remaining requests therefore
  // still returns plausible numbers.
  let used = REQUESTS_PER_DAY / 2;

  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const isSigned = [key, otherKey].includes(String(request.headers['x-api-key']));
      const answer = isSigned ? answerTo(request, body) : { status: 401, body: { error: 'key' } };
      used += 1;
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        'x-daily-max': String(REQUESTS_PER_DAY),
        'x-daily-used': String(used),
      });
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    key,
    otherKey,
    add(contact) {
      lastId += 1;
      const id = String(lastId);
      records.set(id, { ...contact, id, ...UNMARKED, changedAt: seconds(), fields: {} });
      return id;
    },
    edit(id, changes) {
      const record = records.get(id);
      if (record !== undefined) Object.assign(record, changes, { changedAt: seconds() });
    },
    setField(id, field, value) {
      const record = records.get(id);
      if (record !== undefined) change(record, { [field]: value });
    },
    seenField: (id, field) => records.get(id)?.fields[field]?.trim() || null,
    delete: (id) => remove(id, null),
    merge: remove,
    hide: (id) => void hidden.add(id),
    addGroup(members, name = `group-${groups.length + 1}`) {
      groups.push({ id: `g${groups.length + 1}`, name, members });
      return name;
    },
    leaveGroup(name, members) {
      for (const group of groups.filter((each) => each.name === name)) leave(group, members);
    },
    callOf: (exampleEvent, contacts, reason = 'tidying') =>
      JSON.stringify([{ exampleEvent, account: account.id, contacts, reason }]),
    refuse: (id, field) => void refusals.add(`${id} ${field ?? ''}`),
    lock: (id, times) => void locks.set(id, times),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function remove(id: string, mergedInto: string | null): void {
    if (!records.delete(id)) return;
    removed.push({ id, mergedInto, at: seconds() });
    for (const group of groups) leave(group, [id]);
  }

  function answerTo({ method, url = '/' }: IncomingMessage, body: Body): Answer {
    const { pathname, searchParams } = new URL(url, 'http://example');
    const [, , resource = '', id = '', part = ''] = pathname.split('/').map(decodeURIComponent);
    const record = records.get(id);
    const skip = Number(searchParams.get('skip') ?? 0);
    const take = Math.min(Number(searchParams.get('take') ?? 100), 100);
    switch (`${method} ${resource}${id && '/id'}${part && `/${part}`}`) {
      case 'GET account':
        return ok(account);
      case 'GET fields':
        return ok(fields);
      case 'POST fields':
        return createField(body);
      case 'GET contacts': {
        const since = Number(searchParams.get('since') ?? 0);
        const lastName = searchParams.get('lastName');
        const rows = [...records.values()].filter(
          (one) => one.changedAt >= since && (lastName === null || one.lastName === lastName),
        );
        // The API removes rows that the key cannot see after it has selected the page.
        const page = rows.slice(skip, skip + take).filter(isVisible);
        return ok({ asOf: seconds(), total: rows.filter(isVisible).length, rows: page });
      }
      case 'POST lookup': {
        const ids = (body.ids ?? []).map(String);
        const rows = ids.flatMap((one) => records.get(one) ?? []).filter(isVisible);
        return ok({ rows, removed: removed.filter((one) => ids.includes(one.id)) });
      }
      case 'GET removed': {
        const since = Number(searchParams.get('since') ?? 0);
        const rows = removed.filter(({ at }) => at >= since);
        const page = rows.slice(skip, skip + take).filter(isVisible);
        return ok({ asOf: seconds(), total: rows.filter(isVisible).length, rows: page });
      }
      case 'POST search': {
        const { words = [], lastName = null, limit = take } = body;
        const rows = [...records.values()].filter(
          (one) =>
            isVisible(one) &&
            isNamed(words, one) &&
            (lastName === null || one.lastName === lastName),
        );
        return ok({ ids: rows.slice(0, limit).map((one) => one.id) });
      }
      case 'GET contacts/id/merged': {
        const rows = removed.filter(({ mergedInto }) => mergedInto === id);
        const page = rows.slice(skip, skip + Math.min(take, MERGES_PER_PAGE));
        return ok({ total: rows.length, rows: page.map((one) => one.id) });
      }
      case 'PATCH contacts/id':
        return patchFollowing(id, body);
      case 'PUT contacts/id':
        return record === undefined ? notFound() : replace(record, body);
      case 'GET groups':
        return ok(groups.map(({ members, ...group }) => ({ ...group, members: members.length })));
      case 'GET groups/id/members': {
        const group = groups.find((each) => each.id === id);
        if (group === undefined) return notFound();
        const isShown = (member: string) => !hidden.has(member);
        const page = group.members.slice(skip, skip + take).filter(isShown);
        return ok({ total: group.members.filter(isShown).length, rows: page });
      }
      default:
        return notFound();
    }
  }

  /** If the request allows this, the API applies a change of a merged contact to the contact that remains. */
  function patchFollowing(id: string, body: Body): Answer {
    const into = removed.find((one) => one.id === id)?.mergedInto ?? id;
    const found = records.get(body.follow === true ? into : id);
    return found === undefined || !isVisible(found) ? notFound() : patchOnce(found, body);
  }

  /** Applies a patch only once. A repeated request gets the response to the first request. */
  function patchOnce(record: ExampleRecord, { requestId, fields: values = {} }: Body): Answer {
    const known = requestId === undefined ? undefined : answers.get(requestId);
    if (known !== undefined) return known;
    const before = Object.fromEntries(
      Object.keys(values).map((name) => [name, record.fields[name] ?? null]),
    );
    const answer = patch(record, values);
    if (answer.status !== 200) return answer;
    const withBefore = ok({ ...record, before });
    if (requestId !== undefined) answers.set(requestId, withBefore);
    return withBefore;
  }

  /** Replaces a record. Clears all fields that the request body does not contain. */
  function replace(record: ExampleRecord, body: Body): Answer {
    const answer = patch(record, body.fields ?? {});
    if (answer.status !== 200) return answer;
    const blank = { firstName: null, lastName: null, addresses: [], employers: [] };
    const kept = Object.entries(body.fields ?? {}).filter(([, value]) => value !== null);
    const fields = Object.fromEntries(kept);
    Object.assign(record, blank, body, { id: record.id, fields, changedAt: seconds() });
    return ok(record);
  }

  function patch(record: ExampleRecord, values: Record<string, string | null>): Answer {
    const left = locks.get(record.id) ?? 0;
    locks.set(record.id, left - 1);
    if (left > 0) return { status: 409, body: { error: 'LOCKED' } };
    if (refusals.has(`${record.id} `))
      return { status: 422, body: { error: 'CLOSED', field: null } };
    for (const [field, value] of Object.entries(values)) {
      const described = fields.find(({ name }) => name === field);
      if (described === undefined) return { status: 422, body: { error: 'NO_SUCH_FIELD', field } };
      if (!fits(described, value)) return { status: 422, body: { error: 'DOES_NOT_FIT', field } };
      const isRefused = value !== null && refusals.has(`${record.id} ${field}`);
      if (isRefused) return { status: 422, body: { error: 'RULE', field } };
    }
    change(record, values);
    return ok(record);
  }

  function createField({ name = '', label = '' }: Body): Answer {
    if (fields.some((field) => field.name === name)) {
      return { status: 409, body: { error: 'EXISTS' } };
    }
    fields.push({ ...aField(name, 'text'), label });
    return ok({ name });
  }
}

const UNMARKED = { deceased: false, doNotContact: false };

function leave(group: { members: readonly string[] }, ids: readonly string[]): void {
  group.members = group.members.filter((id) => !ids.includes(id));
}

function change(record: ExampleRecord, values: Record<string, string | null>): void {
  for (const [field, value] of Object.entries(values)) {
    if (value === null) delete record.fields[field];
    else record.fields[field] = value;
  }
  record.changedAt = seconds();
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function notFound(): Answer {
  return { status: 404, body: { error: 'NOT_FOUND' } };
}

function aField(
  name: string,
  type: ExampleField['type'],
  options: readonly string[] = [],
): ExampleField {
  const label = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const maxLength = type === 'text' ? LONGEST_TEXT : null;
  return { name, label, type, maxLength, decimalDigits: null, options };
}

const LONGEST_TEXT = 250;

const REQUESTS_PER_DAY = 100_000;

export const MERGES_PER_PAGE = 10;

function fits({ maxLength, options }: ExampleField, value: string | null): boolean {
  if (value === null) return true;
  if (maxLength !== null && value.length > maxLength) return false;
  return options.length === 0 || value.split(';').every((one) => options.includes(one));
}

interface Body {
  follow?: boolean;
  requestId?: string;
  words?: readonly string[];
  lastName?: string | null;
  limit?: number;
  ids?: readonly unknown[];
  fields?: Record<string, string | null>;
  name?: string;
  label?: string;
}

async function readBody(stream: AsyncIterable<Uint8Array>): Promise<Body> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : JSON.parse(text);
}
