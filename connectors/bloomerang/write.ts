/** Writes custom values. Each request writes one constituent. */
import type { FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import { foreignText } from '../../src/core/foreign-text.ts';
import type { ReadBack, Refusal, WrittenFields } from '../contract.ts';
import { refusal } from '../plain.ts';
import type { HttpAnswer } from '../requests/http.ts';
import { createVerifiedWriter, type Sent } from '../writing/verified-writes.ts';
import { type Assignment, isSame, toAssignment, valueIn } from './fields.ts';
import { findRecords, ROWS_PER_PAGE } from './read.ts';
import { type BloomerangRecord, canonicalId, recordSchema } from './record.ts';
import type { BloomerangSession } from './session.ts';

/** The maximum number of requests in flight at the same time. */
const LANES = 4;

export function createWriter(session: BloomerangSession) {
  const { custom } = session;
  return createVerifiedWriter<BloomerangRecord>({
    name: 'Bloomerang',
    deps: session.deps,
    perBatch: ROWS_PER_PAGE,
    lanes: LANES,
    canonicalId,
    read: (ids) => findRecords(session, ids),
    getValue: (record, name) => valueIn(record, name, custom()),
    isSame(name, sent, stored) {
      const field = custom().get(name);
      return field === undefined ? sent === stored : isSame(sent, stored, field);
    },
    findProblem: (name, value) => findProblem(session, name, value),
    send: ({ stored }, values) => sendValues(session, stored, values),
    check: session.writeCheck,
  });
}

function findProblem(
  { custom }: BloomerangSession,
  name: string,
  value: FieldValue,
): Refusal | null {
  const field = custom().get(name);
  if (field === undefined) {
    const message = `Bloomerang has no active custom field "${name}".`;
    return refusal('NO_SUCH_FIELD', message, { cause: 'no_such_field' });
  }
  // Bloomerang would round an amount to cents without reporting an error.
  if (
    field.type === 'currency' &&
    typeof value === 'number' &&
    Number(value.toFixed(2)) !== value
  ) {
    const message = `"${name}" holds two decimals, and this amount has more.`;
    return refusal('TOO_MANY_DECIMALS', message, { cause: 'does_not_fit' });
  }
  if (toAssignment(field, value) !== null) return null;
  const message = `"${name}" does not offer this value as a choice.`;
  return refusal('NOT_A_CHOICE', message, { cause: 'does_not_fit' });
}

async function sendValues(
  session: BloomerangSession,
  record: BloomerangRecord,
  values: FieldValues,
): Promise<Sent<BloomerangRecord>> {
  const custom = session.custom();
  const assignments: Assignment[] = [];
  for (const [name, value] of Object.entries(values)) {
    const field = custom.get(name);
    const assignment = field === undefined ? null : toAssignment(field, value);
    if (assignment !== null) assignments.push(assignment);
  }
  const { writeCheck } = session;
  const body = { CustomValues: assignments };
  const names = writeCheck.learnt('names');
  if (names !== 'sent') {
    const answer = await put(session, record, body);
    if (answer.ok) {
      await writeCheck.learn('names', 'omitted');
      return { stored: answer.body };
    }
    const mayNeedNames = names === undefined && answer.status === 400;
    if (!mayNeedNames || record.FirstName === null || record.LastName === null) {
      return { refusal: toRefusal(answer, assignments, session) };
    }
  }
  const current = await currentNames(session, record);
  if (current.FirstName === null || current.LastName === null) return { refusal: nameless() };
  const answer = await put(session, record, { ...current, ...body });
  if (!answer.ok) return { refusal: toRefusal(answer, assignments, session) };
  await writeCheck.learn('names', 'sent');
  return { stored: answer.body };
}

function put({ http }: BloomerangSession, { Id }: BloomerangRecord, json: object) {
  return http.ask({ method: 'PUT', path: `/constituent/${Id}`, json }, recordSchema);
}

/** Reads the constituents' names right before the write, because the request must contain them. */
async function currentNames(session: BloomerangSession, record: BloomerangRecord) {
  const path = `/constituent/${record.Id}`;
  const answer = await session.http.ask({ path }, recordSchema);
  const { Type, FirstName, LastName } = answer.ok ? answer.body : record;
  return { Type, FirstName, LastName };
}

type Refused = Extract<HttpAnswer<unknown>, { ok: false }>;

/**
 * Converts an error from Bloomerang to the reason why a write was refused. Bloomerang does not document the form of its
 * errors. donor-sync therefore names a field only if the error contains the field's ID.
 */
function toRefusal(
  { status, body }: Refused,
  assignments: readonly Assignment[],
  session: BloomerangSession,
): Refusal {
  const text = body === null ? '' : JSON.stringify(body);
  const ids = new Set((text.match(/\d+/g) ?? []).map(Number));
  const blamedIds = new Set(
    assignments.flatMap(({ FieldId }) => (ids.has(FieldId) ? FieldId : [])),
  );
  const blamed = [...session.custom().values()].filter(({ id }) => blamedIds.has(id));
  const fields = blamed.map(({ name }) => name);
  const isLock = status === 409 || status === 423;
  const code = `HTTP_${status}`;
  const message =
    status === 403
      ? "The key's user must not change this constituent."
      : status === 404
        ? 'The constituent is not in Bloomerang any more, or its user must not see it.'
        : isLock
          ? 'Another user or program is changing the constituent.'
          : 'Bloomerang refuses the change.';
  return refusal(code, message, {
    fields,
    ...(isLock ? { retriable: true, isLock: true } : {}),
    ...(status === 403 ? { cause: 'no_permission' as const } : {}),
    words: foreignText(text, { code, fields }),
  });
}

function nameless(): Refusal {
  const message =
    'Bloomerang changes a constituent only with its first and last name, and the first or the last name is blank.';
  return refusal('NAME_MISSING', message);
}

/** Reads the written values again shortly after the write. Bloomerang's API does not report changes by automation. */
export async function readBack(
  session: BloomerangSession,
  writes: readonly WrittenFields[],
): Promise<ReadBack[]> {
  const records = await findRecords(
    session,
    writes.map(({ id }) => id),
  );
  const custom = session.custom();
  return writes.map(({ id, fields }) => {
    const record = records.get(canonicalId(id) ?? id);
    if (record === undefined) return { id, values: null, automated: [] };
    const values = fields.map((name) => [name, valueIn(record, name, custom)] as const);
    return { id, values: Object.fromEntries(values), automated: [] };
  });
}
