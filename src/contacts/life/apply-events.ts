/**
 * Applies an event to many contacts in one statement. The statement changes only contacts in the states that the table
 * of events allows. No other code changes contacts.
 */
import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type QueryResult,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { type Prepared, prepared, type Slots } from '../../database/prepared.ts';
import { inBatches, inFilledBatches, toValueRows } from '../../database/rows.ts';
import type { ContactState } from '../../database/tables/contacts.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import {
  type ChangeContext,
  COLUMNS,
  type Column,
  type Condition,
  type ContactRow,
  type Given,
  givenIn,
  holds,
  own,
  read,
  required,
  type Scalar,
  type Value,
} from './changes.ts';
import { AT_REST, type EventRow, type LifeState, type Way } from './event.ts';
import { LIFE, type LifeEvent } from './life.ts';

/** A contact, and the values that the event sets for it. */
export type Target = { crm_id: string } & Given;

/** Selects contacts by ID, by ID with separate values, or by a condition. */
export type Targets = readonly string[] | readonly Target[] | Which;
export interface Which {
  /** The name of a condition that contains no values. A statement with a named condition is built only once. */
  shape?: string;
  is(
    eb: ExpressionBuilder<Tables, 'contacts'>,
    integrationId: string | Expression<string>,
  ): Expression<SqlBool>;
}

export type Moved = Pick<ContactRow, 'crm_id' | 'state' | 'tracking_id'>;

type OfIntegration = { integrationId: string };

/** Applies an event with the `common` values to contacts. Resolves with the number of changed contacts. */
export async function move(
  trx: Trx,
  of: OfIntegration,
  event: LifeEvent,
  targets: Targets,
  moment: ChangeContext,
  common: Given = {},
): Promise<number> {
  let moved = 0;
  for (const run of statements(of, event, targets, moment, common, 'counted')) {
    const { numAffectedRows = 0n } = await run(trx);
    moved += Number(numAffectedRows);
  }
  return moved;
}

export async function moveAndList(
  trx: Trx,
  of: OfIntegration,
  event: LifeEvent,
  targets: Targets,
  moment: ChangeContext,
  common: Given = {},
): Promise<Moved[]> {
  const moved: Moved[] = [];
  for (const run of statements(of, event, targets, moment, common, 'listed')) {
    const { rows } = await run(trx);
    moved.push(...rows);
  }
  return moved;
}

/** Returns a contact's row after an event, or null if the table of events refuses the event. */
export function after(
  event: LifeEvent,
  row: ContactRow,
  given: Given,
  moment: ChangeContext,
  place: LifeState = row.state,
): ContactRow | null {
  const known = { row, given, moment };
  const { ways }: EventRow = LIFE[event];
  const way = ways.find(
    ({ from, when }) => from.includes(place) && (when === undefined || holds(when, known)),
  );
  if (way === undefined) return null;
  const next: Record<string, Scalar> = { ...row, state: way.to ?? row.state };
  for (const column of COLUMNS) {
    const value = way.set[column];
    if (value !== undefined) next[column] = read(value, known);
  }
  return { ...row, ...next };
}

/** Writes contacts' rows. A contact that has changed since it was read keeps its values. */
export async function putRows(trx: Trx, rows: readonly ContactRow[]): Promise<void> {
  for (const batch of inBatches(rows)) {
    await putBatch(trx, { cells: batch.flatMap((row) => WHOLE.map((column) => row[column])) });
  }
}

export async function putCurrencies(
  trx: Trx,
  integrationId: string,
  currency: string,
  crmIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(crmIds)) {
    const of = trx.updateTable('contacts').where('integration_id', '=', integrationId);
    await of.where('crm_id', 'in', batch).set({ currency }).execute();
  }
}

const WHOLE = ['integration_id', 'crm_id', 'state', 'currency', ...COLUMNS] as const;

const putBatch = prepared((db, { cells }: Slots<{ cells: readonly Scalar[] }>) =>
  db
    .insertInto('contacts')
    .columns(WHOLE)
    .expression(sql`values ${toValueRows(cells, WHOLE.length)}`)
    .onConflict((c) =>
      c
        .columns(['integration_id', 'crm_id'])
        .doUpdateSet((eb) => ({
          state: eb.ref('excluded.state'),
          identity: eb.ref('excluded.identity'),
          eligible: eb.ref('excluded.eligible'),
          due_reason: eb.ref('excluded.due_reason'),
          priority: eb.ref('excluded.priority'),
          tracking_id: eb.ref('excluded.tracking_id'),
          asked_identity: eb
            .case()
            // A user has requested another credit since the row was read.
            .when('contacts.asked_identity', 'is', null)
            .then(eb.ref('contacts.asked_identity'))
            .else(eb.ref('excluded.asked_identity'))
            .end(),
          outcome_reason: eb.ref('excluded.outcome_reason'),
          outcome_run: eb.ref('excluded.outcome_run'),
          outcome_at: eb.ref('excluded.outcome_at'),
          outcome_detail: eb.ref('excluded.outcome_detail'),
          seen_run: eb.ref('excluded.seen_run'),
          departure_read: eb.ref('excluded.departure_read'),
          has_opted_out: eb.ref('excluded.has_opted_out'),
          missing_since: eb.ref('excluded.missing_since'),
        }))
        .where('contacts.state', 'in', [...AT_REST]),
    )
    .compile(),
);

/** Yields the statements of an event. */
function* statements(
  of: OfIntegration,
  event: LifeEvent,
  targets: Targets,
  moment: ChangeContext,
  common: Given,
  how: How,
): Generator<(trx: Trx) => Promise<QueryResult<Moved>>> {
  if ('is' in targets) {
    const eb = expressionBuilder<Tables, 'contacts'>();
    if (targets.shape !== undefined) {
      yield run(targets.shape, [], (_, source) => [sql``, targets.is(eb, source.integrationId)]);
      return;
    }
    const which = targets.is(eb, of.integrationId);
    const source = { ...of, common, moment, columns: [] };
    yield (trx) => statement(event, how, source, sql``, which).execute(trx);
    return;
  }
  const ids = targets.filter((target) => typeof target === 'string');
  for (const batch of inFilledBatches(ids)) {
    yield run('ids', batch, (cells) => [sql``, sql<SqlBool>`crm_id in (${sql.join(cells)})`]);
  }
  const columns = columnsGivenTo(LIFE[event]).filter((column) => common[column] === undefined);
  const rows = targets.filter((target) => typeof target !== 'string');
  for (const batch of inFilledBatches(rows)) {
    const cells: Scalar[] = [];
    for (const row of batch) {
      cells.push(row.crm_id);
      for (const column of columns) cells.push(required(row[column], column));
    }
    const table = (slots: readonly Expression<Scalar>[]) =>
      sql` from (values ${toValueRows(slots, columns.length + 1)}) as v`;
    yield run('rows', cells, (slots) => [table(slots), sql<SqlBool>`crm_id = v.column1`], columns);
  }

  function run(
    kind: string,
    cells: readonly Scalar[],
    find: (
      cells: readonly Expression<Scalar>[],
      source: Source,
    ) => [from: RawBuilder<unknown>, which: Expression<SqlBool>],
    columns: readonly Column[] = [],
  ) {
    const shared = givenFor(common);
    const shape = [event, how, kind, moment.id !== undefined, ...shared].join();
    const statementOfShape = prepareStatement(shape, (slots) => {
      const source = toSource(slots, shared, moment, columns);
      return statement(event, how, source, ...find(slots.cells, source));
    });
    const values = {
      integrationId: of.integrationId,
      id: moment.id ?? null,
      now: moment.now,
      shared: shared.map((column) => required(common[column], column)),
      cells,
    };
    return (trx: Trx) => statementOfShape(trx, values);
  }
}

type How = 'counted' | 'listed';

type Handed = {
  integrationId: string;
  id: string | null;
  now: number;
  shared: readonly Scalar[];
  cells: readonly Scalar[];
};

/** The statements that have already been built, by their shape. */
const known = new Map<string, Prepared<Handed, Moved>>();

function prepareStatement(
  shape: string,
  build: (slots: Slots<Handed>) => RawBuilder<Moved>,
): Prepared<Handed, Moved> {
  const before = known.get(shape);
  if (before !== undefined) return before;
  const made = prepared<Handed, Moved>((db, slots) => build(slots).compile(db));
  known.set(shape, made);
  return made;
}

function toSource(
  slots: Slots<Handed>,
  shared: readonly Column[],
  { id }: ChangeContext,
  columns: readonly Column[],
): Source {
  const common = shared.map((column, at) => [column, required(slots.shared[at], column)]);
  return {
    integrationId: slots.integrationId,
    common: Object.fromEntries(common),
    moment: { ...(id === undefined ? {} : { id: slots.id }), now: slots.now },
    columns,
  };
}

/** Returns the columns with the same value for all contacts. */
function givenFor(common: Given): Column[] {
  return COLUMNS.filter((column) => common[column] !== undefined);
}

/** The source of the values that a statement sets. */
interface Source {
  integrationId: string | Expression<string>;
  common: { [column in Column]?: Given[column] | Expression<Scalar> };
  moment: { id?: string | Expression<Scalar>; now: number | Expression<Scalar> };
  /** The columns that have a different value for each contact: `v.column2` and the following columns. */
  columns: readonly Column[];
}

/** Builds the statement of an event. The SQL names the event, so database logs show which event ran. */
function statement(
  event: LifeEvent,
  how: How,
  source: Source,
  from: RawBuilder<unknown>,
  which: Expression<SqlBool>,
): RawBuilder<Moved> {
  const { ways }: EventRow = LIFE[event];
  const open = ways.filter((way) => listFromStates(way).length > 0);
  const { integrationId } = source;
  const isOfIts = expressionBuilder<Tables, 'contacts'>()('integration_id', '=', integrationId);
  const returning = how === 'listed' ? sql` returning crm_id, state, tracking_id` : sql``;
  return sql`update contacts /* ${sql.raw(event)} */ set ${sql.join(assignments(open, source))}${from}
    where ${isOfIts} and ${which} and (${guard(open, source)})${returning}`;
}

function columnsGivenTo({ ways }: EventRow): Column[] {
  const columns = ways.flatMap(({ set, when }) => [...Object.values(set), when]);
  return [...new Set(columns.flatMap((part) => [...givenIn(part)]))];
}

const listFromStates = ({ from }: Way): ContactState[] =>
  from.filter((place) => place !== 'unknown');

/** Builds the condition that is true if at least one case of the event applies. */
function guard(ways: readonly Way[], source: Source): RawBuilder<unknown> {
  return sql.join(
    ways.map((way) => fits(way, source)),
    sql` or `,
  );
}

function fits(way: Way, source: Source): RawBuilder<unknown> {
  const isThere = sql`state in (${sql.join(listFromStates(way).map((state) => sql.lit(state)))})`;
  if (way.when === undefined) return isThere;
  return sql`${isThere} and ${conditionSql(way.when, source)}`;
}

function assignments(ways: readonly Way[], source: Source): RawBuilder<unknown>[] {
  const set = COLUMNS.flatMap((column) => {
    if (ways.every((way) => way.set[column] === undefined)) return [];
    const values = ways.map(({ set: { [column]: value = own(column) } }) =>
      // Postgres gives a choice of only nulls the type text.
      value === null ? typed(null, NUMBERS.includes(column)) : valueSql(value, source),
    );
    return [sql`${sql.ref(column)} = ${byWay(ways, values, source)}`];
  });
  if (ways.every(({ to }) => to === null)) return set;
  const states = ways.map(({ to }) => (to === null ? sql.ref('state') : sql.lit(to)));
  return [...set, sql`state = ${byWay(ways, states, source)}`];
}

/** Builds the value of the first matching case. The statement excludes contacts that match no case. */
function byWay(
  ways: readonly Way[],
  values: readonly RawBuilder<unknown>[],
  source: Source,
): RawBuilder<unknown> {
  const [only] = values;
  if (ways.length === 1 && only !== undefined) return only;
  const cases = ways.map((way, index) => sql`when ${fits(way, source)} then ${values[index]}`);
  return sql`case ${sql.join(cases, sql` `)} end`;
}

const NUMBERS: readonly Column[] = [
  'eligible',
  'priority',
  'asked_at',
  'enhanced_at',
  'outcome_at',
  'departure_read',
  'has_opted_out',
  'missing_since',
];

function valueSql(value: Value, source: Source): RawBuilder<unknown> {
  const { common, moment, columns } = source;
  if (value === null || typeof value !== 'object') return sql.lit(value);
  if ('own' in value) return sql.ref(value.own);
  if ('moment' in value) {
    const { id, now } = moment;
    return value.moment === 'now' ? typed(now, true) : typed(required(id, 'a run'), false);
  }
  if ('given' in value) {
    const column = value.given;
    const isNumber = NUMBERS.includes(column);
    if (common[column] !== undefined) return typed(common[column], isNumber);
    const place = columns.indexOf(column);
    if (place === -1) required(undefined, column);
    // The first column is the contact's ID.
    return cast(sql.ref(`v.column${place + 2}`), isNumber);
  }
  return sql`case when ${conditionSql(value.if, source)} then ${valueSql(value.then, source)}
    else ${valueSql(value.else, source)} end`;
}

/** Gives a parameter its type, because Postgres treats a lone parameter as text. */
function typed(value: Scalar | Expression<Scalar>, isNumber: boolean): RawBuilder<unknown> {
  return cast(sql`${value}`, isNumber);
}

function cast(value: RawBuilder<unknown>, isNumber: boolean): RawBuilder<unknown> {
  return sql`cast(${value} as ${sql.raw(isNumber ? 'bigint' : 'text')})`;
}

function conditionSql(condition: Condition, source: Source): RawBuilder<unknown> {
  const value = (each: Value) => valueSql(each, source);
  if ('equal' in condition) {
    return sql.join(condition.equal.map(value), sql` = `);
  }
  if ('isNull' in condition) return sql`${value(condition.isNull)} is null`;
  if ('oneOf' in condition) {
    const [one, words] = condition.oneOf;
    return sql`${value(one)} in (${sql.join(words.map((word) => sql.lit(word)))})`;
  }
  // In SQL, a comparison with null is unknown, even after `not`. In the table of events, a comparison with null is
  // false.
  if ('not' in condition) return sql`(${conditionSql(condition.not, source)}) is not true`;
  const [parts, word] = 'all' in condition ? [condition.all, 'and'] : [condition.any, 'or'];
  const joined = parts.map((part) => sql`(${conditionSql(part, source)})`);
  return sql`(${sql.join(joined, sql.raw(` ${word} `))})`;
}
