import {
  type BinaryOperationNode,
  type LimitNode,
  OperatorNode,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';

/**
 * Writes statements that SQLite prepares only once. SQLite plans with the values of limits and of some compared
 * parameters. It then prepares the statement again for each run, which is slow. Known limits are therefore written into
 * the statement. A plus before other parameters has the same effect. It changes nothing else.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    const value: unknown = ValueNode.is(limit) ? limit.value : null;
    if (Number.isSafeInteger(value)) this.append(`limit ${value}`);
    else {
      this.append('limit +');
      this.visitNode(limit);
    }
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    const isEqual = OperatorNode.is(operator) && operator.operator === '=';
    if (!isEqual || !ValueNode.is(rightOperand) || rightOperand.immediate) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(leftOperand);
    this.append(' = +');
    this.visitNode(rightOperand);
  }
}
