/**
 * The name of an integration's place on the status page. The page has names of its own, which an
 * integration may be called as well (`holds`), and no id has an underscore.
 */
export function anchorOf(integrationId: string): string {
  return `integration_${integrationId}`;
}
