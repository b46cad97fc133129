import { z } from 'zod';

/** The reasons why a paid value is not in the CRM yet. */
export const WAITING_CAUSES = [
  'no_such_field',
  'no_permission',
  'does_not_fit',
  'other_currency',
  'no_rate',
  'refused',
  'no_profile',
] as const;

export type WaitingCause = (typeof WAITING_CAUSES)[number];

export interface WaitingReason {
  field: string;
  cause: WaitingCause;
  /** The CRM's own code, or null if the field's description explains the reason. */
  code: string | null;
  /** The number of contacts whose value waits for this reason. */
  contacts: number;
  /** The reason, the event that ends the wait, and the cost. */
  text: string;
}

/** Paid values that wait to be written. */
export interface ValuesWaiting {
  values: number;
  reasons: WaitingReason[];
}

export const valuesWaitingSchema = z.object({
  values: z.int().nonnegative(),
  reasons: z.array(
    z.object({
      field: z.string(),
      cause: z.enum(WAITING_CAUSES),
      code: z.string().nullable(),
      contacts: z.int().nonnegative(),
      text: z.string(),
    }),
  ),
}) satisfies z.ZodType<ValuesWaiting>;
