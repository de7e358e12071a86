// The pages of the navigation, with the letter that follows `g`.

import {
  Bell,
  Building2,
  CircleAlert,
  Code2,
  Database,
  FlaskConical,
  House,
  Landmark,
  type LucideIcon,
  Palette,
  Radio,
  Server,
  Users,
  Wallet,
  Webhook,
} from 'lucide-react'

export type NavItem = {
  to: string
  label: string
  icon: LucideIcon
  key: string
  /** Shown to who has it. */
  scope?: string
  /** Only where the provider is the emulator. */
  sandboxOnly?: true
  children?: readonly { to: string; label: string; scope?: string }[]
}

const alertPages = (to: string) => [
  { to, label: 'All alerts' },
  { to: `${to}/channels`, label: 'Channels' },
  { to: `${to}/messages`, label: 'Messages' },
]

export const businessNav: readonly NavItem[] = [
  { to: '/', label: 'Home', icon: House, key: 'h' },
  { to: '/end-users', label: 'End-users', icon: Users, key: 'u', scope: 'end_users:read' },
  { to: '/accounts', label: 'Accounts', icon: Landmark, key: 'a', scope: 'virtual_accounts:read' },
  { to: '/deposits', label: 'Deposits', icon: Wallet, key: 'd', scope: 'virtual_accounts:read' },
  { to: '/events', label: 'Events', icon: Radio, key: 'e', scope: 'events:read' },
  {
    to: '/webhooks',
    label: 'Webhooks',
    icon: Webhook,
    key: 'w',
    scope: 'webhooks:read',
    children: [
      { to: '/webhooks', label: 'Endpoints' },
      { to: '/webhooks/deliveries', label: 'Deliveries', scope: 'events:read' },
    ],
  },
  {
    to: '/alerts',
    label: 'Alerts',
    icon: Bell,
    key: 'l',
    scope: 'webhooks:read',
    children: alertPages('/alerts'),
  },
  { to: '/branding', label: 'Branding', icon: Palette, key: 'b', scope: 'end_users:read' },
  {
    to: '/developers',
    label: 'Developers',
    icon: Code2,
    key: 'k',
    scope: 'api_keys:read',
    children: [
      { to: '/developers/keys', label: 'API keys' },
      { to: '/developers/links', label: 'Console links' },
      { to: '/developers/staff', label: 'Staff' },
      { to: '/developers/requests', label: 'Requests' },
      { to: '/developers/audit', label: 'Audit log' },
    ],
  },
  { to: '/sandbox', label: 'Sandbox', icon: FlaskConical, key: 's', sandboxOnly: true },
]

export const operatorNav: readonly NavItem[] = [
  { to: '/operator', label: 'Overview', icon: Server, key: 'o' },
  { to: '/operator/businesses', label: 'Businesses', icon: Building2, key: 'b' },
  { to: '/operator/events', label: 'Held events', icon: CircleAlert, key: 'e' },
  { to: '/operator/alerts', label: 'Alerts', icon: Bell, key: 'l', children: alertPages('/operator/alerts') },
  { to: '/operator/storage', label: 'Storage', icon: Database, key: 't' },
  { to: '/operator/staff', label: 'Staff', icon: Users, key: 's' },
]
