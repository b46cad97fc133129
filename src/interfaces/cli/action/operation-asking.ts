import type { z } from 'zod';
import type { Application } from '../../../application.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import type { InputSchema, OperationOf, Question } from '../../../operations/kit/operation.ts';
import { type OperationDeps, perform, preview } from '../../../operations/kit/perform.ts';
import { hasOwnUrl, type Settings } from '../../../settings/settings.ts';
import { confirmOrStop, type ProductDeps } from './product.ts';
import { getRequester } from './second-person.ts';

/** Carries out an operation. The user confirms it before or while it runs. */
export async function carryOutAsked<Input extends InputSchema, Result extends z.ZodType>(
  deps: ProductDeps,
  world: OperationDeps,
  operation: OperationOf<Input, Result>,
  input: z.output<Input>,
  { isYes }: { isYes: boolean },
): Promise<z.output<Result>> {
  const caller = toCaller(deps);
  if (operation.effect === 'acts' && operation.asksWithin === true) {
    const agree = ({ text }: Question) => confirmOrStop(deps, text, isYes);
    return orError(operation, await perform(world, caller, operation, input, agree));
  }
  const asked = await preview(world, caller, operation, input);
  if (asked !== null) await confirmOrStop(deps, asked.text, isYes);
  return orError(operation, await perform(world, caller, operation, input, asked?.digest));
}

/** Returns the result, or throws the error that it contains. */
function orError<Input extends InputSchema, Result extends z.ZodType>(
  operation: OperationOf<Input, Result>,
  result: z.output<Result>,
): z.output<Result> {
  const error = operation.error?.(result) ?? null;
  if (error !== null) throw error;
  return result;
}

export function toOperationDeps(
  deps: Pick<ProductDeps, 'clock' | 'log' | 'stopSignal'>,
  application: Application,
  { server }: Settings,
): OperationDeps {
  const { clock, stopSignal } = deps;
  return {
    application,
    clock,
    publicUrl: server.publicUrl,
    hasOwnUrl: hasOwnUrl(server),
    signal: stopSignal,
    async findOperation(name) {
      const { findOperation } = await import('../../../operations/catalogue.ts');
      return findOperation(name);
    },
    async requestRun(requested) {
      const { storeRequest } = await import('../../../jobs/request-run.ts');
      return storeRequest({ application, clock }, requested);
    },
    async checkAlerts(signal) {
      const { checkAlertsOnce } = await import('../../../clients/alerts/product-alerts.ts');
      await checkAlertsOnce(deps, application, signal);
    },
    async checkAudit(known) {
      const { checkAudit } = await import('../../../privacy/audit/checker.ts');
      return checkAudit(deps, application, known);
    },
  };
}

/** Creates the caller for a user of this machine, who needs no role. */
export function toCaller(deps: Pick<ProductDeps, 'user' | 'owner'>): Caller {
  return { kind: 'machine', role: null, clients: null, ...getRequester(deps) };
}
