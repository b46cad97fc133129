/** Sends an update that Salesforce checks and then rolls back. */
import { z } from 'zod';
import type { FieldValues } from '../../../src/core/crm-field.ts';
import { readAs, type SalesforceFault } from '../errors.ts';
import { contactIdOrText } from '../ids.ts';
import type { SalesforceSession } from '../session.ts';

/** A trial's result. `kept` means that Salesforce did not roll back the trial. */
export type Trial =
  | { state: 'accepted' }
  | { state: 'refused'; faults: readonly SalesforceFault[] }
  | { state: 'kept'; isWritten: boolean };

/** An ID that no contact in any org has, because Salesforce assigns numbers from 1. */
const NO_CONTACT = '003000000000000AAA';

/** Salesforce's code for a part of a request that it rolled back or did not attempt. */
const ROLLED_BACK = 'PROCESSING_HALTED';

const replySchema = z.object({
  compositeResponse: z.array(
    z.object({ referenceId: z.string(), httpStatusCode: z.number(), body: z.unknown() }),
  ),
});

const faultsSchema = z.array(
  z.object({
    errorCode: z.string(),
    message: z.string().default(''),
    fields: z.array(z.string()).nullish(),
  }),
);

/**
 * Updates a contact and then a contact that does not exist, in one request. Salesforce keeps either all updates of the
 * request or none of them. The second update always fails. Salesforce therefore runs every rule and trigger for the
 * first update and then rolls it back.
 */
export async function tryUpdate(
  { api, settings }: Pick<SalesforceSession, 'api' | 'settings'>,
  id: string,
  values: FieldValues,
): Promise<Trial> {
  const update = (referenceId: string, contact: string) => ({
    method: 'PATCH',
    url: `/services/data/v${settings.apiVersion}/sobjects/Contact/${contact}`,
    referenceId,
    body: values,
  });
  const reply = await api.send('POST', '/composite', {
    allOrNone: true,
    compositeRequest: [update('trial', contactIdOrText(id)), update('impossible', NO_CONTACT)],
  });
  return toTrialOutcome(readAs(replySchema, reply).compositeResponse);
}

type Part = z.infer<typeof replySchema>['compositeResponse'][number];

function toTrialOutcome(parts: readonly Part[]): Trial {
  const trial = listFaults(parts.find(({ referenceId }) => referenceId === 'trial'));
  const impossible = listFaults(parts.find(({ referenceId }) => referenceId === 'impossible'));
  if (impossible === null || trial === null) return { state: 'kept', isWritten: trial === null };
  const isHalted = impossible.every(({ code }) => code === ROLLED_BACK);
  if (trial.every(({ code }) => code === ROLLED_BACK)) {
    return isHalted ? { state: 'kept', isWritten: false } : { state: 'accepted' };
  }
  // After a rejected part, Salesforce should not attempt the next part. If Salesforce attempts it anyway, it does not
  // treat the parts as one unit.
  return isHalted ? { state: 'refused', faults: trial } : { state: 'kept', isWritten: false };
}

/** Returns the errors of a part, or null if the part succeeded. */
function listFaults(part: Part | undefined): SalesforceFault[] | null {
  if (part === undefined) return [{ code: 'UNKNOWN_EXCEPTION', message: '', fields: [] }];
  if (part.httpStatusCode < 400) return null;
  const faults = faultsSchema.safeParse(part.body).data ?? [];
  if (faults.length === 0) {
    return [{ code: `ERROR_HTTP_${part.httpStatusCode}`, message: '', fields: [] }];
  }
  return faults.map(({ errorCode, message, fields }) => ({
    code: errorCode,
    message,
    fields: fields ?? [],
  }));
}
