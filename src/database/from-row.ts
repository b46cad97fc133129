/**
 * A row with camelCase names, for code outside the database folder. The values remain the same. The database uses
 * snake_case names.
 */
export type FromRow<Row> = { [Column in keyof Row as CamelCase<Column>]: Row[Column] };

type CamelCase<Column> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest> & string>}`
  : Column;

export function fromRow<Row extends object>(row: Row): FromRow<Row> {
  const record: Record<string, unknown> = {};
  const columns = Object.keys(row);
  // Pairs of names and values would be many short-lived objects for each contact.
  const values: unknown[] = Object.values(row);
  columns.forEach((column, at) => {
    record[toPropertyName(column)] = values[at];
  });
  if (!isWhole<Row>(columns, record)) throw new Error('Two columns have one name in camelCase.');
  return record;
}

/** Converts a row that may not exist. */
export function maybeFromRow<Row extends object>(row: Row | undefined): FromRow<Row> | undefined {
  return row && fromRow(row);
}

export function fromRows<Row extends object>(rows: readonly Row[]): FromRow<Row>[] {
  return rows.map((row) => fromRow(row));
}

const names = new Map<string, string>();

function toPropertyName(column: string): string {
  const known = names.get(column);
  if (known !== undefined) return known;
  const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  names.set(column, name);
  return name;
}

function isWhole<Row>(columns: readonly string[], record: object): record is FromRow<Row> {
  return Object.keys(record).length === columns.length;
}
