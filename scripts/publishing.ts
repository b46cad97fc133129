/**
 * Decides whether a version can be published from this checkout. The release workflow must have completed all earlier
 * steps.
 */

export interface Release {
  manifest: { name: string; version: string; repository?: unknown };
  /** The value of DONOR_SYNC_RELEASE, which the release workflow sets to the chosen version. */
  announced: string | undefined;
  /** The tags of the current commit. */
  tags: readonly string[];
  /** The output of `git status --porcelain`. */
  changes: string;
}

/**
 * Returns the reasons why the version cannot be published, each with its solution. Returns an empty list if the version
 * can be published.
 */
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
