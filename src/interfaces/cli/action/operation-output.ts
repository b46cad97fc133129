/** Prints the result of an operation, and decides the exit code. */
import type { z } from 'zod';
import { ConfigurationError, type DonorSyncError, RetriableError } from '../../../core/errors.ts';
import type { ClientFailure } from '../../../operations/kit/failures.ts';
import type {
  Cell,
  InputSchema,
  OperationOf,
  TableView,
} from '../../../operations/kit/operation.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../terminal/output.ts';
import type { Column } from '../terminal/table.ts';
import { formatCount, formatLast, formatTimestamp, shortId } from '../terminal/words.ts';

export function printResult<Input extends InputSchema, Result extends z.ZodType>(
  output: Output,
  operation: OperationOf<Input, Result>,
  result: z.output<Result>,
  now: number,
): void {
  if (operation.table !== undefined) {
    const tables = [operation.table(result)].flat();
    if (tables.length === 0) output.print([operation.say(result)].flat().join('\n'));
    for (const [index, table] of tables.entries()) {
      if (index > 0) output.print();
      printTable(output, table, now);
    }
    return;
  }
  const lines = [operation.say(result)].flat();
  const secrets = listSecrets(operation);
  if (secrets.length === 0) {
    for (const line of lines) output.print(line);
    return;
  }
  // Only the secrets go to stdout, so that scripts do not have to parse the text.
  for (const key of secrets) {
    const secret = (result as Record<string, unknown>)[key];
    if (secret !== null) output.print(String(secret));
  }
  for (const line of lines) output.note(line);
}

/** Returns the names of the secrets in the result. Secrets are shown only once. */
function listSecrets<Input extends InputSchema, Result extends z.ZodType>(
  operation: OperationOf<Input, Result>,
): readonly string[] {
  if (operation.effect !== 'changes' || operation.secret === undefined) return [];
  return [operation.secret].flat();
}

function printTable(
  output: Output,
  { title, empty, headers, rows, notes = [] }: TableView,
  now: number,
): void {
  if (title !== undefined) output.print(output.style.strong(title));
  if (rows.length === 0) output.print(empty);
  else
    output.table(
      headers.map((header, index) => toColumn(header, index, rows, now)),
      rows,
    );
  for (const note of notes) {
    output.print(typeof note === 'string' ? note : output.style.warn(note.warning));
  }
}

function toColumn(
  header: string,
  index: number,
  rows: TableView['rows'],
  now: number,
): Column<readonly Cell[]> {
  const isNumber = rows.some((row) => typeof row[index] === 'number');
  return {
    header,
    value: (row) => cellText(row[index] ?? '', now),
    shrinks: header !== 'ID' && !isNumber && !rows.some((row) => isId(row[index])),
    ...(isNumber && { align: 'right' }),
  };
}

function isId(cell: Cell | undefined): boolean {
  return typeof cell === 'object' && 'id' in cell;
}

function cellText(cell: Cell, now: number): string {
  if (typeof cell === 'number') return formatCount(cell);
  if (typeof cell === 'string') return cell;
  if ('id' in cell) return shortId(cell.id);
  if ('at' in cell) return formatLast(cell.at, now);
  return cell.on === null ? 'never' : formatTimestamp(cell.on);
}

export function endWith<Input extends InputSchema, Result extends z.ZodType>(
  output: Output,
  operation: OperationOf<Input, Result>,
  result: z.output<Result>,
): ExitCode[] {
  for (const remark of operation.remarks?.(result) ?? []) output.note(remark);
  const failures = operation.failures?.(result) ?? [];
  const ended = ENDINGS[operation.ending?.(result) ?? 'done'];
  const codes = failures.map((failure) => output.fail(toError(failure)));
  return ended === EXIT_CODES.done ? codes : [...codes, ended];
}

const ENDINGS = {
  done: EXIT_CODES.done,
  stopped: EXIT_CODES.stopped,
  refused: EXIT_CODES.usage,
};

function toError({ integration, code, message: text, retriable }: ClientFailure): DonorSyncError {
  const message = `${integration}: ${text}`;
  return retriable
    ? new RetriableError(message, { code })
    : new ConfigurationError(message, { code });
}
