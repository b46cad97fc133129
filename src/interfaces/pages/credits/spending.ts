/** What the page of credits shows, and `GET /v1/credits` answers: spending, and the keys of whose it is. */
import type { Context } from 'hono';
import { z } from 'zod';
import type { Integration } from '../../../core/integration-settings.ts';
import {
  CLIENTS_PAGE,
  readSpending,
  SPENDING_DAYS,
  type SpendingView,
} from '../../../credits/spending-view.ts';
import {
  findIntegration,
  listAccessible,
  listAccessibleIds,
} from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import type { CreditReader } from './credit-reader.ts';
import { type KeyView, readKeys } from './keys.ts';

export interface CreditsView extends SpendingView {
  keys: KeyView[];
}

export const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

/** What may be asked; a word that does not fit is as if it were left out. */
export const spendingQuerySchema = z.object({
  days: z.coerce
    .number()
    .refine((days) => SPENDING_DAYS.some((one) => one === days))
    .catch(SPENDING_DAYS[0]),
  month: z.string().regex(MONTH).nullable().catch(null),
  client: z.string().min(1).nullable().catch(null),
  from: z.coerce.number().int().min(0).max(1_000_000).catch(0),
});

export async function readCredits(
  {
    application,
    clock,
    credits,
  }: Pick<HttpDeps, 'application' | 'clock'> & { credits: CreditReader },
  c: Context<HttpEnv>,
  { days, month, client, from }: z.infer<typeof spendingQuerySchema>,
): Promise<CreditsView> {
  const { store } = application;
  const within = listAccessible(c, application);
  const one = client === null ? null : findIntegration(c, application, client);
  const spending = await readSpending({ store, clock }, within, {
    reach: listAccessibleIds(c) ?? null,
    integration: one?.id ?? null,
    days,
    month,
    from,
  });
  const shown = one === null ? chooseShown(spending, within) : [one];
  const keys = await readKeys({ store, clock, credits }, shown, application.integrations);
  return { ...spending, keys };
}

/** Those whose keys are asked for: the clients of the page, or the first ones where none has spent anything. */
function chooseShown(
  { clients }: SpendingView,
  within: ReadonlyMap<string, Integration>,
): Integration[] {
  const spent = clients.flatMap(({ integration }) => within.get(integration) ?? []);
  return spent.length > 0 ? spent : [...within.values()].slice(0, CLIENTS_PAGE);
}
