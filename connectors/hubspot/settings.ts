import { z } from 'zod';
import { currencyModeSchema } from '../../src/core/money.ts';
import { crmUrlSchema } from '../../src/outbound/address.ts';
import { dailyReservePercentSchema } from '../requests/daily-limit.ts';
import { API_VERSIONS } from './paths.ts';

const text = z.string().trim().min(1);

/** The ways to sign in (design, section 4.2). */
export const authSchema = z.discriminatedUnion('type', [
  /** A service key, or the access token of a private app. */
  z.strictObject({ type: z.literal('token'), token: text }),
  z.strictObject({
    type: z.literal('oauth'),
    clientId: text,
    clientSecret: text,
    /** The refresh token. The credentials are omitted if users connect the account on donor-sync's own pages. */
    refreshToken: text.optional(),
    /**
     * Additional scopes that donor-sync requests, such as `crm.lists.write`. The HubSpot app must have these scopes.
     */
    moreScopes: z.array(text).optional(),
  }),
]);

export type AuthSettings = z.infer<typeof authSchema>;

export const hubspotSettingsSchema = z.strictObject({
  kind: z.literal('hubspot'),
  url: crmUrlSchema
    .refine(
      (url) => !/^https:\/\/app(-\w+)?\.hubspot\.com/.test(url),
      'is the address of the web interface; write https://api.hubapi.com',
    )
    .refine(
      (url) => !/^http:\/\/([\w-]+\.)*(hubapi|hubspot)\.com\b/i.test(url),
      'must start with https://, because HubSpot does not respond to anything else',
    )
    .default('https://api.hubapi.com'),
  auth: authSchema,
  apiVersion: z.enum(API_VERSIONS).default('2026-09'),
  /**
   * The source of a contact's employer. The employer comes from the text property `company`, the primary company, or
   * both.
   */
  employer: z.enum(['company', 'associated', 'both']).default('both'),
  /**
   * If true, `fields create` creates properties that store Sensitive Data. Other properties of the account may store
   * Sensitive Data anyway (HubSpot Enterprise).
   */
  sensitiveData: z.boolean().default(false),
  currency: currencyModeSchema,
  dailyReservePercent: dailyReservePercentSchema,
  /**
   * The maximum number of requests in ten seconds. If the number is omitted, donor-sync uses HubSpot's own limit. 0
   * means no limit.
   */
  requestsPerTenSeconds: z.number().int().min(0).max(10_000).optional(),
  /**
   * The maximum number of searches per second. HubSpot counts the searches of all tools of the account. 0 means no
   * limit.
   */
  searchesPerSecond: z.number().min(0).max(100).default(5),
});

export type HubspotSettings = z.infer<typeof hubspotSettingsSchema>;

/** A setting that selects a group of people in HubSpot. */
export const hubspotGroupSchema = z.union([
  /** The ID or name of a list (segment) of contacts. */
  z.strictObject({ list: z.union([text, z.number().int().positive().transform(String)]) }),
  /** Selects the contacts that have this value in a property. For an enumeration, the value is the internal value. */
  z.strictObject({
    property: text,
    equals: z.union([text, z.number().transform(String), z.boolean().transform(String)]),
  }),
]);

export type HubspotGroup = z.infer<typeof hubspotGroupSchema>;
