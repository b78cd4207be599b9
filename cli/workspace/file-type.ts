import { posix } from 'node:path';

/** Extensions that look like anything else (a hash, a sentence, control characters) share one type. */
const plainExtension = /^\.[a-z0-9_+~-]{1,16}$/;

export const noExtension = '(no extension)';
export const oddExtension = '(odd extension)';

/** The extension in small letters with its dot. `.gitignore` has none, as `find -name '*.gitignore'` would not say. */
export function fileType(path: string): string {
  const extension = posix.extname(path).toLowerCase();
  if (extension === '' || extension === '.') return noExtension;
  return plainExtension.test(extension) ? extension : oddExtension;
}
