import { type LimitNode, SqliteQueryCompiler, ValueNode } from 'kysely';

/**
 * Writes limits into the statement. SQLite plans by the value of a limit, so that a statement which has it
 * as a parameter is prepared anew each time that it runs, which takes longer than most of them.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    const value: unknown = ValueNode.is(limit) ? limit.value : null;
    if (Number.isSafeInteger(value)) this.append(`limit ${value}`);
    else super.visitLimit(node);
  }
}
