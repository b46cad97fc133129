/** Reads the validation rules of contact properties, once for each open connector. */
import { z } from 'zod';
import { isRetriableError } from '../../../src/core/errors.ts';
import type { Log } from '../../../src/core/log.ts';
import { throwIfStopped } from '../../requests/stopped.ts';
import type { HubspotApi } from '../api.ts';
import type { Properties } from '../describe.ts';
import { readAs } from '../errors.ts';
import { brokenRule, createJudge, type Judge } from './judge.ts';

export interface ValidationRules {
  /** The properties that have any rules, including rules that donor-sync cannot evaluate. */
  ruled: ReadonlySet<string>;
  /** The rules that donor-sync can evaluate. The map's key is the property's name. */
  judges: ReadonlyMap<string, readonly Judge[]>;
}

/** Reads the rules when they are first needed. An open connector is used for only one run. */
export interface RuleBook {
  /** Returns the rules, or null if HubSpot refuses the request or is too slow. */
  read(): Promise<ValidationRules | null>;
}

const ruleSchema = z.object({
  ruleType: z.string(),
  ruleArguments: z.array(z.string()).catch([]),
  shouldApplyNormalization: z.boolean().optional().catch(true),
});

const replySchema = z.object({
  results: z.array(
    z.object({ propertyName: z.string(), propertyValidationRules: z.array(ruleSchema) }),
  ),
});

export function createRuleBook(api: HubspotApi, log: Log, signal: AbortSignal): RuleBook {
  let reading: Promise<ValidationRules | null> | null = null;
  return {
    read() {
      reading ??= readRules(api, log, signal).catch((error: unknown) => {
        reading = null;
        throw error;
      });
      return reading;
    },
  };
}

/**
 * Requests the rules. If donor-sync cannot read the rules, it learns from the values that HubSpot rejects. The function
 * throws only if the daily limit is reached, because this error stops the run.
 */
async function readRules(
  api: HubspotApi,
  log: Log,
  signal: AbortSignal,
): Promise<ValidationRules | null> {
  try {
    const { results } = readAs(replySchema, await api.getSoon(api.paths.propertyValidations));
    const judges = new Map<string, Judge[]>();
    for (const { propertyName, propertyValidationRules } of results) {
      const own = await Promise.all(propertyValidationRules.map(createJudge));
      const judged = own.filter((judge) => judge !== null);
      if (judged.length > 0) judges.set(propertyName, judged);
    }
    return { ruled: new Set(results.map(({ propertyName }) => propertyName)), judges };
  } catch (error) {
    throwIfStopped(signal);
    if (isRetriableError(error) && error.code === 'crm_limit_reached') throw error;
    log.info({ err: error }, 'the validation rules of properties cannot be read');
    return null;
  }
}

/** Returns the values that certainly break a rule, together with the type of the rule. */
export function findBroken(
  judges: ValidationRules['judges'],
  properties: Properties,
  values: Readonly<Record<string, string>>,
): Map<string, string> {
  const broken = new Map<string, string>();
  if (judges.size === 0) return broken;
  for (const [name, value] of Object.entries(values)) {
    const property = properties.get(name);
    const own = judges.get(name);
    if (property === undefined || own === undefined) continue;
    const ruleType = brokenRule(own, value, property);
    if (ruleType !== null) broken.set(name, ruleType);
  }
  return broken;
}
