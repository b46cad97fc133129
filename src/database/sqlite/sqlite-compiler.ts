import {
  type BinaryOperationNode,
  type LimitNode,
  OperatorNode,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';

/**
 * Writes statements so that SQLite prepares them only once. SQLite uses a parameter's value for its plan if the
 * parameter is a limit, or if an ordered statement compares a column with it. Such a statement is prepared again for
 * each run, which takes longer than running most statements. So known limits are written into the statement. A
 * parameter that is a limit or follows `=` gets a plus before it, which has no other effect.
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
