import { createRolecall } from '@rolecall/sdk/next'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { NextResponse } from 'next/server'

export const rolecall = createRolecall({ cookies, headers, redirect, NextResponse })
