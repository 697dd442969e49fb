// Who: the token in the link that somebody was given.

/** Return the token behind the # of a link, or nothing: what names a place of the page, such as #main, is none. */
export function tokenIn(hash) {
  const [, named, bare] = /^#(?:token=(.*)|([^.]+\..+))$/.exec(hash) ?? [];
  return named ?? bare ?? '';
}
