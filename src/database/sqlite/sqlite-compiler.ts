import {
  type BinaryOperationNode,
  type LimitNode,
  OperatorNode,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';

/**
 * Writes statements so that SQLite prepares them once. SQLite plans by the value of a parameter
 * that is a limit, or that a column of an ordered statement equals, and prepares such a statement
 * again each time that it runs, which takes longer than most of them. So known limits are written
 * into the statement, and a parameter that is a limit or follows `=` gets a plus before it, which
 * has no other effect.
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
