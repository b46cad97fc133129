import type { Application } from '../../application.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration.ts';

type Known = Pick<Application, 'integrations' | 'select'>;

/**
 * The integrations that a command works on: those named, all with `--all`, or the only one there
 * is. Throws a ConfigurationError that says what to type if that is not clear.
 */
export function chooseIntegrations(
  application: Known,
  ids: readonly string[],
  all: boolean,
): Integration[] {
  if (all && ids.length > 0) {
    throw usageError('Either name integrations or write --all, not both.');
  }
  if (ids.length > 0) return application.select(ids);
  const known = allIntegrations(application);
  if (all || known.length === 1) return known;
  const names = known.map(({ id }) => id).join(', ');
  throw usageError(`Which integration? Name one or more of ${names}, or write --all.`);
}

/** The integration of `--integration`, or the only one there is. */
export function chooseOne(application: Known, id: string | undefined): Integration {
  const found = id === undefined ? allIntegrations(application) : application.select([id]);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const names = found.map((integration) => integration.id).join(', ');
  throw usageError(`Which integration? Name one of ${names} with --integration.`);
}

/** The integrations that are named, or all of them. */
export function namedOrAll(application: Known, ids: readonly string[]): Integration[] {
  return ids.length > 0 ? application.select(ids) : allIntegrations(application);
}

/** For `--contact`: throws a ConfigurationError if several integrations are meant. */
export function requireOne(chosen: readonly Integration[]): void {
  if (chosen.length <= 1) return;
  throw usageError('--contact is an id in one CRM, so name the one integration it belongs to.');
}

/** For `--accept-match-rate`, which a person decides for one CRM after checking its columns. */
export function requireOneToAccept(chosen: readonly Integration[]): void {
  if (chosen.length <= 1) return;
  throw usageError('--accept-match-rate is about the columns of one integration: name that one.');
}

function allIntegrations({ integrations }: Known): Integration[] {
  if (integrations.size > 0) return [...integrations.values()];
  throw usageError(
    'The settings have no integration. Run `donor-sync init` to write settings with one.',
  );
}

function usageError(message: string): ConfigurationError {
  return new ConfigurationError(message, { code: 'usage' });
}
