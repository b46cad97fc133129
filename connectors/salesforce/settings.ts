import { z } from 'zod';
import { hostAndPortSchema } from '../../src/core/host.ts';
import { currencyModeSchema } from '../../src/core/money.ts';
import { crmUrlSchema } from '../../src/outbound/address.ts';
import { dailyReservePercentSchema } from '../requests/daily-limit.ts';

const text = z.string().trim().min(1);

/** The ways to sign in (design, section 4.2). */
export const authSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('jwt'),
    clientId: text,
    username: text,
    /** The private key in PEM. The app has the certificate for this key. `\n` may be used for a line break. */
    privateKey: text,
  }),
  z.strictObject({ type: z.literal('clientCredentials'), clientId: text, clientSecret: text }),
  z.strictObject({
    type: z.literal('refreshToken'),
    clientId: text,
    /** Omitted by public clients. */
    clientSecret: text.optional(),
    refreshToken: text,
  }),
  /** A user grants donor-sync access once (`donor-sync connect`). */
  z.strictObject({
    type: z.literal('oauth'),
    clientId: text,
    /** Omitted by public clients. */
    clientSecret: text.optional(),
  }),
  z.strictObject({ type: z.literal('token'), token: text }),
]);

export type AuthSettings = z.infer<typeof authSchema>;

/** The default version of Salesforce's APIs. */
export const DEFAULT_API_VERSION = '67.0';

/** The `crm` part of the settings for an integration with Salesforce. */
export const salesforceSettingsSchema = z.strictObject({
  kind: z.literal('salesforce'),
  /** The My Domain URL, or the login URL if the sign-in method allows it. */
  url: crmUrlSchema
    .refine(
      (url) => !url.includes('.lightning.force.com'),
      'is the address of the web interface; write the My Domain URL, https://….my.salesforce.com',
    )
    .refine(
      (url) => !/^http:\/\/([\w-]+\.)*(salesforce|force)\.com\b/i.test(url),
      'must start with https://, because Salesforce does not respond to anything else',
    ),
  auth: authSchema,
  /**
   * Hosts from which the org may respond, in addition to the host of `url` and Salesforce's own hosts. The
   * token is not sent to any other host.
   */
  instanceHosts: z.array(hostAndPortSchema).default([]),
  apiVersion: z
    .string()
    .regex(/^\d{2,3}\.0$/, 'must look like 67.0')
    .default(DEFAULT_API_VERSION),
  /**
   * The source of a contact's employer. It is the account, the primary affiliation of the Nonprofit Success Pack, or
   * the source that fits the org's description.
   */
  employer: z.enum(['auto', 'account', 'primaryAffiliation']).default('auto'),
  /** How amounts in US dollars are handled for contacts with a different currency. */
  currency: currencyModeSchema,
  dailyReservePercent: dailyReservePercentSchema,
  /** If there are at least this many contacts, the Bulk API reads and writes them. */
  bulkThreshold: z.number().int().min(200).max(1_000_000).default(2000),
  /**
   * True to search for fields that a rule rejects but does not name. The search sends updates that Salesforce rolls
   * back. Use false for orgs whose flows publish platform events immediately. Such events are not rolled back.
   */
  probe: z.boolean().default(true),
});

export type SalesforceSettings = z.infer<typeof salesforceSettingsSchema>;

/** One group of people in Salesforce. */
export const salesforceGroupSchema = z.union([
  z.strictObject({
    /** ID or name. */
    campaign: text,
    /** The member statuses to include. If omitted, all statuses are included. */
    statuses: z.array(text).min(1).optional(),
  }),
  z.strictObject({
    affiliation: z.strictObject({
      /** The ID or name of the account with which people are affiliated. */
      organization: text,
      role: text.optional(),
      status: text.default('Current'),
    }),
  }),
  /** The report's ID. */
  z.strictObject({ report: text }),
  /** A SOQL condition on Contact. */
  z.strictObject({ where: text }),
]);

export type SalesforceGroup = z.infer<typeof salesforceGroupSchema>;
