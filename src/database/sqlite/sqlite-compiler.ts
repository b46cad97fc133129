import {
  type BinaryOperationNode,
  type LimitNode,
  OperatorNode,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';

/**
 * Compiles statements that SQLite prepares only once. For limits and for some compared parameters, SQLite's query
 * planner uses their values. SQLite then prepares the statement again for each execution, which is slow. Therefore,
 * known limits are written into the statement, and other parameters get a plus sign. The plus sign has no other effect.
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
