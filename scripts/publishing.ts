/**
 * Decides whether a version may be published from this checkout: the release workflow must have completed
 * every earlier step.
 */

export interface Release {
  manifest: { name: string; version: string; repository?: unknown };
  /** The variable DONOR_SYNC_RELEASE, which the release workflow sets to the chosen version. */
  announced: string | undefined;
  /** The tags of the checked-out commit. */
  tags: readonly string[];
  /** The output of `git status --porcelain`. */
  changes: string;
}

/** Returns the reasons not to publish, each with its fix. Empty if there are none. A pure function. */
export function listObstacles({ manifest, announced, tags, changes }: Release): string[] {
  const { version, repository } = manifest;
  const tag = `v${version}`;
  return [
    announced === version
      ? ''
      : `DONOR_SYNC_RELEASE is ${announced === undefined ? 'not set' : `"${announced}"`}, not "${version}". Only the release workflow sets it.`,
    tags.includes(tag) ? '' : `The checked-out commit does not have the tag ${tag}. Tag it first.`,
    changes.trim() === ''
      ? ''
      : 'Files have changes that are not committed. Commit them, or use a fresh clone.',
    repository === undefined
      ? 'package.json has no "repository", which the provenance of a package is checked against. Add it.'
      : '',
  ].filter((obstacle) => obstacle !== '');
}
