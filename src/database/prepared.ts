import { type CompiledQuery, type Expression, type QueryResult, RawNode, ValueNode } from 'kysely';
import { isPostgres } from './database-time.ts';
import type { Reader } from './reader.ts';
import type { Database, Trx } from './tables/tables.ts';

type Scalar = string | number | null;

/** The values of a statement, which are passed each time the statement is executed. */
export type Values = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** Placeholders for values while a statement is built. */
export type Slots<Of extends Values> = {
  [Name in keyof Of]: Of[Name] extends readonly (infer One)[]
    ? readonly Expression<One>[]
    : Expression<Of[Name]>;
};

/**
 * A statement that is built and compiled on first use. With Kysely, this takes longer than executing a small SQLite
 * statement. `Values` may change with each call. If a value is a list, the statement is compiled once for each length
 * of the list. The rest of the statement never changes.
 */
export type Prepared<Of extends Values, Row, Db extends Reader = Database | Trx> = (
  db: Db,
  values: Of,
) => Promise<QueryResult<Row>>;

/** Returns a statement that may change rows. */
export function prepared<Of extends Values, Row>(
  build: (db: Database | Trx, slots: Slots<Of>) => CompiledQuery<Row>,
): Prepared<Of, Row> {
  return prepare(build);
}

/** Returns a statement that reads. */
export function preparedRead<Of extends Values, Row>(
  build: (reader: Reader, slots: Slots<Of>) => CompiledQuery<Row>,
): Prepared<Of, Row, Reader> {
  return prepare(build);
}

function prepare<Of extends Values, Row, Db extends Reader>(
  build: (db: Db, slots: Slots<Of>) => CompiledQuery<Row>,
): Prepared<Of, Row, Db> {
  const compiled = new Map<string, { known: CompiledQuery<Row>; pieces: readonly Piece[] }>();
  return (db, values) => {
    const shape = getShape(db, values);
    let entry = compiled.get(shape);
    if (entry === undefined) {
      const known = withoutTree(build(db, createSlots(values)));
      entry = { known, pieces: toPieces(known.parameters) };
      compiled.set(shape, entry);
    }
    const { sql, query, queryId } = entry.known;
    const parameters = entry.pieces.flatMap((piece) => piece(values));
    return db.executeQuery<Row>({ sql, query, queryId, parameters });
  };
}

/** A piece of a statement's parameters that follow one another. */
type Piece = (values: Values) => readonly unknown[];

/** Combines the parameters of one list into a piece, because many rows have thousands of cells. */
function toPieces(parameters: readonly unknown[]): Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < parameters.length; ) {
    const first = parameters[start];
    let end = start + 1;
    while (first instanceof Slot && first.isFollowedBy(parameters[end], end - start)) end += 1;
    pieces.push(first instanceof Slot ? first.upTo(end - start) : () => [first]);
    start = end;
  }
  return pieces;
}

/** A placeholder. The placeholder compiles to a parameter that is later replaced with the value. */
class Slot<Value> implements Expression<Value> {
  readonly name: string;
  readonly at: number | null;

  constructor(name: string, at: number | null) {
    this.name = name;
    this.at = at;
  }

  get expressionType(): Value | undefined {
    return undefined;
  }

  isFollowedBy(other: unknown, places: number): boolean {
    if (!(other instanceof Slot) || this.at === null) return false;
    return other.name === this.name && other.at === this.at + places;
  }

  upTo(count: number): Piece {
    return (values) => {
      const value = values[this.name];
      const at = this.at ?? 0;
      return isList(value) ? value.slice(at, at + count) : [value];
    };
  }

  toOperationNode(): ValueNode {
    return ValueNode.create(this);
  }
}

function getShape(db: Reader, values: Values): string {
  let shape = isPostgres(db) ? 'postgres' : 'sqlite';
  for (const value of Object.values(values)) if (isList(value)) shape += ` ${value.length}`;
  return shape;
}

/** Removes the query's tree, which can be large. Only queries that read need their tree (`guarded-driver.ts`). */
function withoutTree<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  if (query.query.kind === 'SelectQueryNode') return query;
  return { ...query, query: RawNode.createWithSql('') };
}

function createSlots<Of extends Values>(values: Of): Slots<Of> {
  const slots: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    slots[name] = isList(value) ? value.map((_, at) => new Slot(name, at)) : new Slot(name, null);
  }
  if (!isWhole(values, slots)) throw new Error('A value has no slot.');
  return slots;
}

function isList(value: Scalar | readonly Scalar[] | undefined): value is readonly Scalar[] {
  return typeof value === 'object' && value !== null;
}

function isWhole<Of extends Values>(values: Of, slots: object): slots is Slots<Of> {
  return Object.keys(slots).length === Object.keys(values).length;
}
