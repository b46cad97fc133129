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
    /**
     * The private key in PEM. The Salesforce app has the matching certificate. In the key, `\n` may represent a line
     * break.
     */
    privateKey: text,
  }),
  z.strictObject({ type: z.literal('clientCredentials'), clientId: text, clientSecret: text }),
  z.strictObject({
    type: z.literal('refreshToken'),
    clientId: text,
    /** The app's secret. Public clients have none. */
    clientSecret: text.optional(),
    refreshToken: text,
  }),
  /** In this way, a user grants donor-sync access once with `donor-sync connect`. */
  z.strictObject({
    type: z.literal('oauth'),
    clientId: text,
    /** The app's secret. Public clients have none. */
    clientSecret: text.optional(),
  }),
  z.strictObject({ type: z.literal('token'), token: text }),
]);

export type AuthSettings = z.infer<typeof authSchema>;

/** The default API version. */
export const DEFAULT_API_VERSION = '67.0';

/** The `crm` part of the settings for a Salesforce client. */
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
   * Additional hosts at which the org may respond. The host of `url` and Salesforce's own hosts are always allowed. The
   * token is not sent to any other host.
   */
  instanceHosts: z.array(hostAndPortSchema).default([]),
  apiVersion: z
    .string()
    .regex(/^\d{2,3}\.0$/, 'must look like 67.0')
    .default(DEFAULT_API_VERSION),
  /**
   * The source of a contact's employer. The source is the account, the primary affiliation of the Nonprofit Success
   * Pack, or (`auto`) the source that matches the org's description.
   */
  employer: z.enum(['auto', 'account', 'primaryAffiliation']).default('auto'),
  /** How donor-sync writes amounts in US dollars to contacts with a different currency. */
  currency: currencyModeSchema,
  dailyReservePercent: dailyReservePercentSchema,
  /** The number of contacts from which donor-sync uses the Bulk API for reading and writing. */
  bulkThreshold: z.number().int().min(200).max(1_000_000).default(2000),
  /**
   * If true, donor-sync searches for the fields that cause a rejection without a named field. The search sends updates
   * that Salesforce rolls back. Use false for orgs whose flows publish platform events immediately. Salesforce does not
   * roll back events that were published immediately.
   */
  probe: z.boolean().default(true),
});

export type SalesforceSettings = z.infer<typeof salesforceSettingsSchema>;

/** A setting that selects a group of people in Salesforce. */
export const salesforceGroupSchema = z.union([
  z.strictObject({
    /** The campaign's ID or name. */
    campaign: text,
    /** The member statuses to include. If the statuses are omitted, members with any status are included. */
    statuses: z.array(text).min(1).optional(),
  }),
  z.strictObject({
    affiliation: z.strictObject({
      /** The ID or name of an account. The group contains the people who are affiliated with the account. */
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
