import { z } from 'zod';
import { crmUrlSchema } from '../../src/outbound/address.ts';

const text = z.string().trim().min(1);

export const bloomerangSettingsSchema = z.strictObject({
  kind: z.literal('bloomerang'),
  url: crmUrlSchema
    .refine(
      (url) => !/^https?:\/\/crm\.bloomerang\./i.test(url),
      'is the address of the web interface; write https://api.bloomerang.co/v2',
    )
    .default('https://api.bloomerang.co/v2'),
  auth: z.strictObject({
    type: z.literal('apiKey'),
    /** A user's private API key. */
    apiKey: text.refine(
      (key) => !key.startsWith('pub_'),
      'is a public key, which cannot read contacts; write a private key',
    ),
  }),
  /**
   * The maximum number of requests per second. Bloomerang documents no limit, so this value is an assumption. 0 means
   * no limit.
   */
  requestsPerSecond: z.number().min(0).max(100).default(5),
  /**
   * The currency of the amounts in this database. Profiles contain amounts in US dollars, so donor-sync does not write
   * them to fields in a different currency.
   */
  currencyCode: z
    .string()
    .regex(/^[A-Z]{3}$/, 'is not the code of a currency, for example USD')
    .default('USD'),
  /**
   * A number that users increase to start a new write check. If a failed write check has stopped all writing, a higher
   * number starts the next check.
   */
  writeCheck: z.number().int().min(1).default(1),
});

export type BloomerangSettings = z.infer<typeof bloomerangSettingsSchema>;

/** A group of constituents, identified by its name or its ID. */
export const bloomerangGroupSchema = z.strictObject({
  group: z.union([text, z.number().int().positive().transform(String)]),
});
