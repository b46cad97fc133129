/** Rules that define which requests of a sandbox fail, and how. */

import { z } from 'zod';

/** The members that every fault has. */
export interface AnyFault {
  kind: string;
}

const count = z.number().int().min(1);

/**
 * Returns the schema of a list of rules. The sandbox provides the schema of its faults. `on` selects the requests to
 * which a rule applies. A request must match all given members, and an empty `on` selects all requests.
 */
export function faultRulesSchema<Fault extends z.ZodType<AnyFault>>(fault: Fault) {
  return z.array(
    z.strictObject({
      on: z
        .strictObject({
          method: z.string().toUpperCase().optional(),
          /** An exact path, or a pattern in which `*` matches any characters. The base path can be omitted. */
          path: z.string().min(1).optional(),
        })
        .default({}),
      /** The number of requests that the rule skips first. The counts below start after these requests. */
      after: z.number().int().min(0).default(0),
      /** The rule applies only to the nth request, counted from 1. */
      nth: count.optional(),
      /** The rule applies to every nth request. */
      every: count.optional(),
      /** The probability that the rule applies, from 0 to 1. */
      probability: z.number().min(0).max(1).optional(),
      /** The maximum number of times that the rule applies. */
      times: count.optional(),
      fault,
    }),
  );
}

/** A rule in the form that `faultRulesSchema` returns. */
export type FaultRule<Fault> = Omit<
  z.output<ReturnType<typeof faultRulesSchema<z.ZodType<AnyFault>>>>[number],
  'fault'
> & { fault: Fault };

/** The current rules, and for each rule the number of times that it has applied. */
export interface Faults<Fault> {
  /** Replaces the current rules. All counts start again at 0. */
  replace(rules: readonly FaultRule<Fault>[]): void;
  /** Returns the fault for a request, or undefined if no rule applies. It comes from the first rule that applies. */
  pick(request: { method: string; path: string }): Fault | undefined;
  /**
   * The number of times that each rule has applied, in the order of the rules. The numbers include requests that have
   * not been answered yet.
   */
  countStrikes(): number[];
}

export type FaultRulesSchema<Fault> = z.ZodType<FaultRule<Fault>[]>;

/** The options for the faults of a sandbox. */
export interface FaultsOptions<Fault> {
  rulesSchema: FaultRulesSchema<Fault>;
  /** The initial rules, as read from JSON. By default, there are no rules. */
  rules: unknown;
  /** A prefix that the path in a rule may omit. */
  basePath: string;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
}

/** Creates the faults with the initial rules. Throws if they are invalid. */
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
