/** Rules that say which requests of a sandbox fail, and how. */

import { z } from 'zod';

/** Properties of every fault. */
export interface AnyFault {
  kind: string;
}

const count = z.number().int().min(1);

/**
 * Returns the schema of a list of rules around a sandbox's own union of faults. `on` selects the requests that a rule
 * applies to (all requests if empty). The other fields select the requests at which the rule strikes, and all given
 * fields must match.
 */
export function faultRulesSchema<Fault extends z.ZodType<AnyFault>>(fault: Fault) {
  return z.array(
    z.strictObject({
      on: z
        .strictObject({
          method: z.string().toUpperCase().optional(),
          /** Exact, or with `*` for any run of characters; with or without the base path. */
          path: z.string().min(1).optional(),
        })
        .default({}),
      /** Skips that many requests at first. The counts below start after them. */
      after: z.number().int().min(0).default(0),
      /** Only the nth request, from 1. */
      nth: count.optional(),
      /** Every nth request. */
      every: count.optional(),
      /** From 0 to 1. */
      probability: z.number().min(0).max(1).optional(),
      /** The maximum number of strikes. */
      times: count.optional(),
      fault,
    }),
  );
}

/** One rule, as `faultRulesSchema` reads it. */
export type FaultRule<Fault> = Omit<
  z.output<ReturnType<typeof faultRulesSchema<z.ZodType<AnyFault>>>>[number],
  'fault'
> & { fault: Fault };

/** The rules in force and how often each has struck. */
export interface Faults<Fault> {
  /** Puts other rules in force. All counts restart. */
  replace(rules: readonly FaultRule<Fault>[]): void;
  /** Returns the fault that strikes this request, if any: the fault of the first rule that fires. */
  pick(request: { method: string; path: string }): Fault | undefined;
  /**
   * The number of times each rule has struck, in the order of the rules. Includes requests that are still waiting for
   * their response.
   */
  countStrikes(): number[];
}

/** The schema that reads fault rules from JSON. */
export type FaultRulesSchema<Fault> = z.ZodType<FaultRule<Fault>[]>;

/** Options for opening a sandbox's faults. */
export interface FaultsOptions<Fault> {
  rulesSchema: FaultRulesSchema<Fault>;
  /** The initial rules, as read from JSON. Defaults to none. */
  rules: unknown;
  /** May be omitted from a rule's path. */
  basePath: string;
  /** From 0 up to 1, for random faults. */
  random: () => number;
}

/** Puts the initial rules in force. Throws if they are invalid. */
export function openFaults<Fault>(options: FaultsOptions<Fault>): Faults<Fault> {
  const rules = options.rulesSchema.safeParse(options.rules ?? []);
  if (!rules.success) {
    throw new Error(`The fault rules make no sense.\n${z.prettifyError(rules.error)}`);
  }
  const faults = createFaults<Fault>(options);
  faults.replace(rules.data);
  return faults;
}

function createFaults<Fault>(
  options: Pick<FaultsOptions<Fault>, 'basePath' | 'random'>,
): Faults<Fault> {
  let states: RuleState<Fault>[] = [];
  return {
    replace(rules) {
      states = rules.map((rule) => ({
        rule,
        path: rule.on.path === undefined ? undefined : pathPattern(rule.on.path, options.basePath),
        seen: 0,
        struck: 0,
      }));
    },
    pick(request) {
      const met = states.filter((state) => looksAt(state, request));
      for (const state of met) {
        state.seen += 1;
      }
      const striking = met.find((state) => strikes(state, options.random));
      if (striking !== undefined) {
        striking.struck += 1;
      }
      return striking?.rule.fault;
    },
    countStrikes: () => states.map(({ struck }) => struck),
  };
}

interface RuleState<Fault> {
  rule: FaultRule<Fault>;
  path: RegExp | undefined;
  seen: number;
  struck: number;
}

function pathPattern(path: string, basePath: string): RegExp {
  const pattern = path
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^(?:${basePath})?${pattern}$`);
}

function looksAt<Fault>(
  { rule, path }: RuleState<Fault>,
  request: { method: string; path: string },
): boolean {
  const methodFits = rule.on.method === undefined || rule.on.method === request.method;
  return methodFits && (path === undefined || path.test(request.path));
}

function strikes<Fault>({ rule, seen, struck }: RuleState<Fault>, random: () => number): boolean {
  const position = seen - rule.after;
  return (
    position > 0 &&
    (rule.nth === undefined || position === rule.nth) &&
    (rule.every === undefined || position % rule.every === 0) &&
    (rule.times === undefined || struck < rule.times) &&
    (rule.probability === undefined || random() < rule.probability)
  );
}
