/** Exports of the package `donor-sync/connector`, for connector packages. */
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
export type * from './contract.ts';
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
} from './http.ts';
export { type IdPage, type IdPagesOptions, readIdPages } from './id-pages.ts';
export { inLanes } from './lanes.ts';
export { requireMarkFields } from './mark-fields.ts';
export { readMarks } from './mark-values.ts';
export { isNamed, toNameWords } from './name-search.ts';
export { type OffsetPage, type OffsetPagesOptions, readOffsetPages } from './offset-pages.ts';
export * from './plain.ts';
export { throwIfStopped } from './stopped.ts';
export {
  createSuspicions,
  type SendValues,
  type Suspicions,
  writeInParts,
} from './write-in-parts.ts';
export { isMarked } from './yes-or-no.ts';
