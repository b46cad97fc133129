/** The exports of `donor-sync/connector`. Connector packages import from `donor-sync/connector`. */
export { z } from 'zod';
export type { Contact, Identity } from '../src/core/contact.ts';
export {
  type CrmField,
  type CrmFieldType,
  type FieldSpec,
  type FieldValue,
  type FieldValues,
  plainField,
} from '../src/core/crm-field.ts';
export type { FieldMapping } from '../src/core/field-map.ts';
export {
  type RefreshTokens,
  refreshWithStored,
  type SharedSignIn,
  type SignInWays,
  shareSignIn,
  toCodeChallenge,
} from '../src/outbound/sign-in.ts';
export type * from './about.ts';
export type * from './contract.ts';
export { requireMarkFields } from './marks/mark-fields.ts';
export { readMarks } from './marks/mark-values.ts';
export { isMarked } from './marks/yes-or-no.ts';
export * from './plain.ts';
export { type IdPage, type IdPagesOptions, readIdPages } from './reading/id-pages.ts';
export { isNamed, toNameWords } from './reading/name-search.ts';
export {
  type OffsetPage,
  type OffsetPagesOptions,
  readOffsetPages,
} from './reading/offset-pages.ts';
export {
  createHttp,
  type DailyOptions,
  type Http,
  type HttpAnswer,
  type HttpOptions,
  type HttpRequest,
  type HttpSignIn,
  type HttpTarget,
  type HttpTokens,
} from './requests/http.ts';
export { inLanes } from './requests/lanes.ts';
export { throwIfStopped } from './requests/stopped.ts';
export type * from './webhooks.ts';
export {
  createVerifiedWriter,
  type Reasons,
  type Sent,
  type StoredContact,
  type VerifiedCrm,
} from './writing/verified-writes.ts';
export {
  type CheckedWrite,
  openWriteCheck,
  type Parts,
  type WriteCheck,
  type WriteCheckOptions,
} from './writing/write-check.ts';
export {
  createSuspicions,
  type SendValues,
  type Suspicions,
  writeInParts,
} from './writing/write-in-parts.ts';
