// As much of a browser as a sign-in needs: cookies by origin, and redirects one by one.

/** The last response, with its address and its text. */
export type Visit = { url: string; status: number; text: string }

export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>()

  /** Opens an address and follows redirects. @param form sent as a form */
  async open(address: string, form?: Readonly<Record<string, string>>): Promise<Visit> {
    let [url, body] = [address, form && new URLSearchParams(form)]
    for (let hops = 0; hops < 20; hops++) {
      const { origin } = new URL(url)
      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { cookie: this.cookieFor(origin), accept: 'text/html' },
        ...(body && { body }),
      })
      this.#keep(origin, response.headers.getSetCookie())
      const location = response.headers.get('location')
      const text = await response.text()
      if (location === null || response.status < 300 || response.status > 399)
        return { url, status: response.status, text }
      url = new URL(location, url).href
      body = undefined
    }
    throw new Error(`too many redirects from ${address}`)
  }

  /** Opens an address without following its redirect. @returns where it leads */
  async step(url: string): Promise<string> {
    const { origin } = new URL(url)
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.cookieFor(origin) } })
    this.#keep(origin, response.headers.getSetCookie())
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${url} leads nowhere: ${response.status} ${await response.text()}`)
    return new URL(location, url).href
  }

  /** Another browser with the same cookies. */
  copy(): Browser {
    const copied = new Browser()
    for (const [origin, jar] of this.#cookies) copied.#cookies.set(origin, new Map(jar))
    return copied
  }

  /** The cookies for an origin, as in a header. */
  cookieFor(origin: string): string {
    return [...(this.#cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #keep(origin: string, lines: readonly string[]): void {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>()
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const isOver = value === '' || /max-age=0(;|$)/i.test(line) || /expires=thu, 01 jan 1970/i.test(line)
      if (isOver) jar.delete(name)
      else jar.set(name, value)
    }
    this.#cookies.set(origin, jar)
  }
}
