import { z } from 'zod';

/** The subjects of alerts. */
export const ALERT_KINDS = [
  'runFailed',
  'runStopped',
  'keyExpires',
  'creditsLow',
  'held',
  'manyFailed',
  'auditEnd',
] as const;

const emailSchema = z.strictObject({
  to: z.array(z.email()).min(1),
  /** An address, or a name with an address, such as `donor-sync <sync@example.org>`. */
  from: z.string().trim().min(3),
  /** The mail server: `smtps://user:password@host:465`, or `smtp://` with STARTTLS. */
  smtp: z.url({ protocol: /^smtps?$/ }),
});

const webhookSchema = z.strictObject({
  /** The address of a webhook. It accepts `{ "text": … }`, like Slack's incoming webhooks. */
  url: z.url({ protocol: /^https?$/ }),
});

/** The recipient of alerts about one integration, in addition to the recipients of the whole installation. */
export const ownAlertsSchema = z.strictObject({ webhook: webhookSchema });

/** The recipients and the kinds of alerts. Without `email` and `webhook`, no alerts are sent. */
export const alertsSchema = z.strictObject({
  email: emailSchema.nullable().default(null),
  webhook: webhookSchema.nullable().default(null),
  /** The kinds of alerts that are sent. */
  on: z.array(z.enum(ALERT_KINDS)).default([...ALERT_KINDS]),
  /** An alert is sent if fewer credits than this are left in a bucket. 0 turns the alert off. */
  creditsBelow: z
    .strictObject({
      enhancements: z.int().nonnegative().default(100),
      networks: z.int().nonnegative().default(100),
    })
    .prefault({}),
  /** An alert is sent if a run failed to write more than this percentage of its contacts. Null turns the alert off. */
  failedAbovePercent: z.number().min(0).max(100).nullable().default(null),
  /** How long before `partner.expiresOn` an alert is sent. */
  keyExpiresWithinDays: z.int().min(1).max(365).default(14),
});

export type AlertKind = (typeof ALERT_KINDS)[number];
export type OwnAlerts = z.infer<typeof ownAlertsSchema>;
export type AlertSettings = z.infer<typeof alertsSchema>;
