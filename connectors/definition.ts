/** Checks the definition that a connector package exports. donor-sync never uses an invalid definition. */
import { z } from 'zod';
import { ConfigurationError } from '../src/core/errors.ts';
import type { ConnectorDefinition } from './contract.ts';

/** The version of the connector contract in this donor-sync. */
const CONTRACT = 2;

/**
 * Returns the definition that the package with this name exports. Throws a ConfigurationError if the definition follows
 * another version of the contract, or if its parts are missing or invalid. The error lists all parts that are missing
 * or invalid.
 */
export function requireDefinition(name: string, connector: object): ConnectorDefinition {
  requireContract(name, connector);
  if (isDefinition(connector)) return connector;
  const parts = listWrongParts(connector);
  throw new ConfigurationError(
    `The \`connector\` of the package "${name}" lacks these parts, or they have the wrong form: ${parts.join(', ')}. ` +
      `Nothing was loaded. Correct the package, or install another version of it.`,
    { code: 'connector_incomplete', details: { package: name, parts } },
  );
}

/**
 * Throws unless the connector has this version of the contract. A package for a different version might open without an
 * error, but then lack a function in the middle of a run.
 */
function requireContract(name: string, connector: object): void {
  const contract: unknown = Reflect.get(connector, 'contract');
  if (contract === CONTRACT) return;
  const unknown = contract === undefined ? 'a version without a number' : 'an unknown version';
  const follows = typeof contract === 'number' ? `version ${contract}` : unknown;
  throw new ConfigurationError(
    `The connector package "${name}" follows ${follows} of the connector contract, and this donor-sync needs version ${CONTRACT}. ` +
      `Nothing was loaded. Install a version of "${name}" for contract ${CONTRACT}, or the donor-sync that it was made for.`,
    { code: 'connector_contract', details: { package: name, contract: contract ?? null } },
  );
}

function isDefinition(connector: object): connector is ConnectorDefinition {
  return listWrongParts(connector).length === 0;
}

function listWrongParts(connector: object): string[] {
  const wrong = Object.entries(PARTS).flatMap(([part, isRight]) =>
    isRight(Reflect.get(connector, part)) ? [] : [part],
  );
  const about: unknown = Reflect.get(connector, 'about');
  return about === undefined ? wrong : [...wrong, ...listWrongAbout(connector, about)];
}

const isFunction = (part: unknown) => typeof part === 'function';
const isSchema = (part: unknown) => isFunction(Reflect.get(Object(part), 'safeParse'));
const orOmitted = (isRight: (part: unknown) => boolean) => (part: unknown) =>
  part === undefined || isRight(part);

/** The required form of each part of a definition. */
const PARTS: Readonly<Record<string, (part: unknown) => boolean>> = {
  kind: (part) => typeof part === 'string',
  settingsSchema: isSchema,
  groupSchema: isSchema,
  defaultFields: (part) => Array.isArray(part),
  open: isFunction,
  check: isFunction,
  consent: orOmitted((part) =>
    ['isWanted', 'secretName', 'begin', 'complete', 'revoke'].every((name) =>
      isFunction(Reflect.get(Object(part), name)),
    ),
  ),
  canonicalId: orOmitted(isFunction),
  otherForms: orOmitted(isFunction),
  recordUrl: orOmitted(isFunction),
  rereadAfterMs: orOmitted((part) => Array.isArray(part)),
  fieldsAsSource: orOmitted(isFunction),
};

/** Returns the names of the invalid parts of `about`, in the form `about.setup.signIns.0.type`. */
function listWrongAbout(connector: object, about: unknown): string[] {
  const { error, data } = aboutSchema.safeParse(about);
  const paths = (error?.issues ?? []).map(({ path }) => ['about', ...path].join('.'));
  if (data !== undefined && data.kind !== Reflect.get(connector, 'kind')) paths.push('about.kind');
  return [...new Set(paths)];
}

const text = z.string().trim().min(1);
const fn = z.custom<(...all: never[]) => unknown>(isFunction);
const header = z.string().regex(/^[a-z0-9-]+$/);

const signInFieldSchema = z.object({
  name: z.string().regex(/^[A-Za-z]\w*$/),
  noun: text,
  label: text,
  hint: text.optional(),
  placeholder: text.optional(),
  isSecret: z.boolean(),
  isOptional: z.boolean().optional(),
  variable: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
});

const signInSchema = z.object({
  type: text,
  label: text,
  hint: text.optional(),
  fields: z.array(signInFieldSchema),
  browser: z.enum(['key', 'app']).optional(),
  isConsent: z.boolean().optional(),
  needsOwnAddress: z.boolean().optional(),
});

const setupSchema = z.object({
  address: z.object({
    noun: text,
    ask: text,
    label: text,
    hint: text.optional(),
    placeholder: text.optional(),
    usual: z.url({ protocol: /^https?$/ }).optional(),
    isForAll: z.boolean().optional(),
  }),
  // The terminal cannot offer a sign-in that needs a consent page.
  signIns: z
    .array(signInSchema)
    .refine((ways) => ways.some(({ isConsent = false }) => !isConsent))
    .refine((ways) => ways.some(({ browser }) => browser !== undefined)),
  signInHint: text.optional(),
  howTo: z.array(text),
  foldedTitle: text.optional(),
  findAddressProblem: fn.optional(),
  employers: z.array(z.object({ value: text, label: text })).optional(),
  contactMarks: z.array(z.object({ field: text, label: text, value: text.optional() })).optional(),
  filterExample: text.optional(),
  groupExample: z.string(),
});

const webhooksSchema = z.object({
  signature: z
    .object({
      label: text,
      secretNoun: text,
      settingsNoun: text,
      variable: text,
      help: text,
      findSecret: fn,
      versions: z
        .array(
          z.object({
            header,
            timestamp: z.object({ header, unitMs: z.number().positive() }).nullable(),
            sign: fn,
          }),
        )
        .min(1),
    })
    .optional(),
  readEvent: fn.optional(),
  readText: fn.optional(),
  acknowledgement: z.object({ contentType: text, body: z.string() }).optional(),
});

/** The schema of `AboutCrm`. Unknown parts are ignored, because a later version of donor-sync may use them. */
const aboutSchema = z.object({
  kind: text,
  name: text,
  setup: setupSchema.optional(),
  offers: z.array(z.enum(['viewers', 'lists', 'source'])).optional(),
  removesFormerValues: text.optional(),
  webhooks: webhooksSchema.optional(),
});
