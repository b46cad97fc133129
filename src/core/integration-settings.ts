import { z } from 'zod';
import { ownAlertsSchema } from './alert-settings.ts';
import { fieldMappingSchema } from './field-map.ts';

/** A cron expression with its time zone. */
export const scheduleSchema = z.strictObject({
  /** Five fields: minute, hour, day of month, month, day of week. */
  cron: z.string().trim().min(1),
  /** An IANA name, for example `America/Chicago`. */
  timezone: z.string().trim().min(1).default('UTC'),
  /** True to make up for a scheduled time that was missed. */
  catchUp: z.boolean().default(true),
  /**
   * The maximum delay after the scheduled time (ms). Integrations with the same schedule start at different times
   * within this delay.
   */
  jitterMs: z.int().min(0).max(3_600_000).default(30_000),
});

/** A limit in whole credits. Null means no limit. */
const creditLimit = z.int().nonnegative().nullable();

const markedValues = z.array(z.string().trim().min(1)).min(1);

export const contactsSchema = z.strictObject({
  filter: z.string().trim().min(1).nullable().default(null),
  optOutField: z.string().trim().min(1).nullable().default(null),
  /** The values that mean an opt-out if `optOutField` is a picklist. */
  optOutValues: markedValues.nullable().default(null),
  /** The IDs of contacts who object to enhancement. They count as opted out, whatever the CRM says. */
  objections: z.array(z.string().trim().min(1)).max(100_000).default([]),
  /** An additional field that marks deceased contacts. */
  deceasedField: z.string().trim().min(1).nullable().default(null),
  /** An additional field that marks contacts who want no contact. */
  doNotContactField: z.string().trim().min(1).nullable().default(null),
  /** The `deceasedField` values that mark a contact. Defaults to words for yes, and dates. */
  deceasedValues: markedValues.optional(),
  /** The `doNotContactField` values that mark a contact. Defaults to words for yes, and dates. */
  doNotContactValues: markedValues.optional(),
  /** Values that do not mark a contact. A contact with an unlisted value waits. */
  unmarkedValues: z
    .strictObject({
      optOut: markedValues.optional(),
      deceased: markedValues.optional(),
      doNotContact: markedValues.optional(),
    })
    .optional(),
  includeDeceased: z.boolean().default(false),
  /** True if contacts who want no contact are enhanced anyway. */
  includeDoNotContact: z.boolean().default(false),
});

/** Guards that stop spending after a possible mistake. A user must check before spending continues. */
const guardsSchema = z.strictObject({
  /** Limits purchases for contacts whose identity changed within seven days. */
  massChange: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.1),
      atLeast: z.int().min(1).default(25),
    })
    .prefault({}),
  /**
   * Limits the contacts that go missing within seven days. The CRM does not report them as deleted. Above this share
   * and this number, a user must confirm before any contact is removed. A user must also confirm if the list is empty,
   * or if more than half of at least five contacts are missing.
   */
  departures: z
    .strictObject({
      share: z.number().min(0).max(1).default(0.1),
      atLeast: z.int().min(1).default(25),
    })
    .prefault({}),
  /**
   * The first submission under a new mapping, with at most `size` people. Spending continues only if the service
   * recognises at least the share `minKnown`. A size of 0 means no trial.
   */
  trial: z
    .strictObject({
      size: z.int().min(0).max(100).default(25),
      minKnown: z.number().min(0).max(1).default(0.1),
    })
    .prefault({}),
});

/** The required certainty of a match. */
export const matchSchema = z.strictObject({
  /** Profiles with a lower probability wait for a user's decision. Null accepts every profile. */
  minProbability: z.number().min(0).max(1).nullable().default(null),
});

/** The retention of this client's data, in days. Can only shorten the general setting. */
const ownRetentionSchema = z.strictObject({
  /** The retention of paid profiles, in days. Null uses the general setting, and 0 keeps no profiles. */
  profiles: z.int().min(0).max(3650).nullable().default(null),
});

const refreshSchema = z.strictObject({
  /** Profiles are bought again after this many days. Null means never. */
  afterDays: z.int().positive().nullable().default(365),
  /** True to buy a profile again after a change of name, address or employer. */
  whenIdentityChanges: z.boolean().default(true),
});

const creditLimitsSchema = z.strictObject({
  /** The maximum number of credits that one run may spend. */
  perRun: creditLimit.default(null),
  /** The maximum number of credits per calendar month, in the schedule's time zone. */
  perMonth: creditLimit.default(null),
  /** The number of credits to leave in the bucket. */
  keep: z.int().nonnegative().default(0),
});

/** Limits for the enhancements bucket and, nested, the networks bucket. */
export const budgetSchema = creditLimitsSchema.extend({
  networks: creditLimitsSchema.prefault({}),
});

export const networkSchema = z.strictObject({
  name: z.string().trim().min(1),
  color: z.string().trim().min(1).default('teal'),
  /** The kind of group, with its selection. Each connector defines its own kinds. */
  group: z.record(z.string(), z.unknown()),
});

const insightsSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** The minimum strength of a warm path's weakest connection, from 0 to 1. */
  minStrength: z.number().min(0).max(1).default(0.45),
  /** A path is computed again after this many days, even without a known change. Null means never. */
  refreshAfterDays: z.int().positive().nullable().default(90),
  /** Limits for services that charge for queries. They have no effect if queries are free. */
  budget: z
    .strictObject({
      /**
       * The maximum number of credits that one run's queries may spend. Null means no limit. Applies to the queries of
       * one run.
       */
      perRun: creditLimit.default(1_000),
      /** The number of credits to leave in the bucket. */
      keep: z.int().nonnegative().default(0),
    })
    .prefault({}),
});

const privacySchema = z.strictObject({
  /** Contacts that the CRM marks for erasure are erased after a user's decision, or automatically up to 25 a day. */
  crmRequests: z.enum(['ask', 'erase']).default('ask'),
});

const partnerSchema = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }),
  apiKey: z.string().trim().min(1),
  /** The key's last day (UTC), as its issuer states it. The service does not report it. */
  expiresOn: z.iso.date().optional(),
  /**
   * True to spend one credit per person, even if several contacts or integrations with the same key have this person.
   * If false, the integration neither uses nor shares profiles.
   */
  shareProfiles: z.boolean().default(true),
});

export const integrationSchema = z.strictObject({
  id: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'use lower-case letters, digits and hyphens, at most 63 characters',
    ),
  name: z.string().trim().min(1).optional(),
  schedule: scheduleSchema.nullable().default(null),
  partner: partnerSchema,
  /** `kind` selects the connector, and the connector's schema checks the rest. */
  crm: z.looseObject({ kind: z.string().trim().min(1) }),
  contacts: contactsSchema.prefault({}),
  refresh: refreshSchema.prefault({}),
  retention: ownRetentionSchema.prefault({}),
  privacy: privacySchema.prefault({}),
  budget: budgetSchema.prefault({}),
  guards: guardsSchema.prefault({}),
  match: matchSchema.prefault({}),
  /** Defaults to the connector's field map. */
  fields: z.array(fieldMappingSchema).optional(),
  networks: z.array(networkSchema).default([]),
  insights: insightsSchema.prefault({}),
  /** An additional recipient of this integration's alerts. */
  alerts: ownAlertsSchema.optional(),
  /**
   * `public` blocks private networks, except addresses that the operator allows. A set-up in a browser sets this.
   * Omitted if an operator set the addresses.
   */
  addresses: z.literal('public').optional(),
  /** What happens to contacts whose response was lost but whose credit was charged. */
  onLostAnswer: z.enum(['hold', 'resubmit']).default('hold'),
  /** After this time without requests, the balance shows whether a lost response was charged. */
  settleAfterMs: z.int().nonnegative().default(90_000),
});

export type Integration = z.infer<typeof integrationSchema>;
export type Schedule = z.infer<typeof scheduleSchema>;
export type Budget = z.infer<typeof budgetSchema>;
export type CreditLimits = z.infer<typeof creditLimitsSchema>;
export type NetworkSetting = z.infer<typeof networkSchema>;
export type Guards = z.infer<typeof guardsSchema>;
export type Refresh = z.infer<typeof refreshSchema>;
