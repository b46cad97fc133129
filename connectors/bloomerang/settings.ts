import { z } from 'zod';
import { crmUrlSchema } from '../../src/outbound/address.ts';

const text = z.string().trim().min(1);

/** The `crm` part of the settings for a client with Bloomerang. */
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
    /** The private key of a user. */
    apiKey: text.refine(
      (key) => !key.startsWith('pub_'),
      'is a public key, which cannot read contacts; write a private key',
    ),
  }),
  /**
   * The maximum number of requests per second. Bloomerang documents no limit, so this value is assumed. 0 means no
   * limit.
   */
  requestsPerSecond: z.number().min(0).max(100).default(5),
  /**
   * The currency of amounts in this database, which the API does not report. Amounts of profiles are in US dollars, so they
   * are not written to currency fields in another currency.
   */
  currencyCode: z
    .string()
    .regex(/^[A-Z]{3}$/, 'is not the code of a currency, for example USD')
    .default('USD'),
  /**
   * The number of the write check. If a check has stopped the writing, a higher number starts another check.
   */
  writeCheck: z.number().int().min(1).default(1),
});

export type BloomerangSettings = z.infer<typeof bloomerangSettingsSchema>;

/** A group of constituents, by its name or its ID. */
export const bloomerangGroupSchema = z.strictObject({
  group: z.union([text, z.number().int().positive().transform(String)]),
});
