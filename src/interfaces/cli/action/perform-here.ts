/** Performs an operation for commands that read their input in their own way. */
import type { Command } from 'commander';
import type { z } from 'zod';
import { listFields } from '../../../operations/kit/input-fields.ts';
import type { InputSchema, OperationOf } from '../../../operations/kit/operation.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { toCaller, toOperationDeps } from './operation-asking.ts';
import { readInput, readTyped, toAttribute, toOption } from './operation-input.ts';
import type { ProductAction, ProductDeps } from './product.ts';

export function addOptions<Input extends InputSchema, Result extends z.ZodType>(
  command: Command,
  { input }: OperationOf<Input, Result>,
  without: readonly (keyof z.output<Input> & string)[] = [],
): void {
  for (const field of listFields(input)) {
    if (!without.includes(field.key)) command.addOption(toOption(field));
  }
}

export function performHere<Input extends InputSchema, Result extends z.ZodType>(
  deps: ProductDeps,
  {
    application,
    settings,
    options,
  }: Omit<ProductAction<Readonly<Record<string, unknown>>>, 'output'>,
  operation: OperationOf<Input, Result>,
  given: Readonly<Record<string, unknown>> = {},
): Promise<z.output<Result>> {
  const fields = listFields(operation.input).filter(({ key }) => !Object.hasOwn(given, key));
  const typed = fields.map((field) => [
    field.key,
    readTyped(field, options[toAttribute(field)], deps.env),
  ]);
  const input = readInput(operation, { ...Object.fromEntries(typed), ...given }, fields);
  return perform(toOperationDeps(deps, application, settings), toCaller(deps), operation, input);
}
