import { z } from 'zod';
import type { Bucket } from './buckets.ts';
import { parseReply } from './reply.ts';
import { operation } from './routes.ts';
import { type Send, sendFor } from './send.ts';

/** The remaining credits of each bucket (service document, section 2.7). */
const creditBalancesSchema = z.object({
  donors: z.int(),
  enhancements: z.int(),
  exports: z.int(),
  lists: z.int(),
  networks: z.int(),
  searches: z.int(),
} satisfies Record<Bucket, z.ZodType>);

export type CreditBalances = z.output<typeof creditBalancesSchema>;

export const CREDITS = operation(
  'credit balances',
  { charges: null, lane: 'other', namesThings: false },
  [{ method: 'GET', path: '/credits' }],
);

/** Reads the remaining credits of each bucket. Costs no credits. */
export async function readCredits(send: Send, signal?: AbortSignal): Promise<CreditBalances> {
  return sendFor(send, CREDITS, {}, (reply) => parseReply(creditBalancesSchema, reply), signal);
}
